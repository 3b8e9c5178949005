/** One row of the list: its place, its selection, and what the mouse does to it. What it shows is in row-parts. */
import { memo, useState } from 'react'
import type { JSX, MouseEvent } from 'react'
import type { TaskRow } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import { nextStep } from '../../rows/next-step.ts'
import { isSelected, moveTo, selectOnly } from '../../store/selection.ts'
import { NextStepButton } from './next-step-button.tsx'
import { RowActions } from './row-actions.tsx'
import { rowElementId } from './row-element-id.ts'
import { RowBar, Size, State, StatusLine, Tile, Title } from './row-parts.tsx'

export interface RowProps {
  readonly id: string
  /** place in the whole list */
  readonly index: number
  readonly top: number
  readonly isActive: boolean
  readonly onPress: (id: string, event: MouseEvent) => void
  readonly onOpen: (id: string) => void
}

/** The small buttons follow the whole task: there is one row that has them. */
function Actions({ id }: { id: string }): JSX.Element | null {
  const row = useAppState((state) => state.list.rows.get(id))
  return row === undefined ? null : <RowActions row={row} />
}

function NextStep({ id }: { id: string }): JSX.Element | null {
  const row = useAppState((state) => state.list.rows.get(id))
  const step = row === undefined ? null : nextStep(row)
  return row === undefined || step === null ? null : <NextStepButton row={row} step={step} />
}

const hasNextStep = (row: TaskRow | undefined): boolean => row !== undefined && nextStep(row) !== null

export const Row = memo(function Row(props: RowProps): JSX.Element {
  const { id, index, isActive } = props
  const app = useApp()
  // buttons that nobody sees cost as much as those that are seen: only the row in use has them
  const [isHovered, setIsHovered] = useState(false)
  const isHere = useAppState((state) => state.list.rows.has(id))
  const hasStep = useAppState((state) => hasNextStep(state.list.rows.get(id)))
  const isOff = useAppState((state) => state.list.rows.get(id)?.state === 'CANCELLED')
  const isChosen = useAppState((state) => isSelected(state.cursor.selection, id))
  const classes = ['row', isActive ? 'is-active' : '', hasStep ? 'has-act' : '', isOff ? 'is-off' : '']
  return (
    <div
      id={rowElementId(id)}
      className={classes.filter((name) => name !== '').join(' ')}
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isChosen}
      aria-labelledby={`${rowElementId(id)}-title`}
      aria-describedby={`${rowElementId(id)}-status`}
      data-id={id}
      style={{ transform: `translateY(${String(props.top)}px)` }}
      onMouseEnter={() => setIsHovered(true)}
      onMouseLeave={() => setIsHovered(false)}
      onClick={(event) => props.onPress(id, event)}
      // a button of the row that has the focus makes it the row in use: its buttons stay under the fingers
      onFocus={() => app.store.setState(({ cursor }) => ({ cursor: moveTo(cursor, id) }))}
      onDoubleClick={(event) => {
        if (!(event.target instanceof Element && event.target.closest('button') !== null)) props.onOpen(id)
      }}
      onContextMenu={() => {
        if (!isSelected(app.store.getState().cursor.selection, id)) {
          app.store.setState({ cursor: selectOnly(id) })
        }
      }}
    >
      {isHere && (
        <>
          <Tile id={id} />
          <div className="main" role="gridcell">
            <div className="text">
              <Title id={id} />
              <StatusLine id={id} />
            </div>
            {hasStep && <NextStep id={id} />}
            <RowBar id={id} />
          </div>
          <Size id={id} />
          <State id={id} />
          {(isActive || isHovered) && <Actions id={id} />}
        </>
      )}
    </div>
  )
})
