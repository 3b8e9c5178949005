/** One row of the list. Drawn again only when its own task, its selection or its place changes. */
import { memo, useState } from 'react'
import type { JSX, MouseEvent } from 'react'
import type { TaskRow } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import { plain } from '../../i18n/figures.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Bar } from '../../parts/bar.tsx'
import { Chip } from '../../parts/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Marked } from '../../parts/marked.tsx'
import { useNow } from '../../parts/use-now.ts'
import { nextStep } from '../../rows/next-step.ts'
import { rowState } from '../../rows/row-state.ts'
import { statusTicks, statusWords } from '../../rows/status-words.ts'
import { typeIcon } from '../../rows/type-icon.ts'
import { isSelected, moveTo, selectOnly } from '../../store/selection.ts'
import { NextStepButton } from './next-step-button.tsx'
import { RowActions } from './row-actions.tsx'

export interface RowProps {
  readonly id: string
  /** place in the whole list */
  readonly index: number
  readonly top: number
  readonly isActive: boolean
  readonly onPress: (id: string, event: MouseEvent) => void
  readonly onOpen: (id: string) => void
}

export const rowElementId = (id: string): string => `task-${id}`

/** Bars stand from the first byte to the end. */
function hasBar(row: TaskRow): boolean {
  return row.state !== 'COMPLETED' && row.state !== 'CANCELLED' && (row.progress > 0 || row.doneBytes > 0)
}

/** Tones whose words are coloured too. */
const attentionTones: readonly string[] = ['attention', 'failed']

function StatusLine({ row }: { row: TaskRow }): JSX.Element {
  const words = useWords()
  const now = useNow(statusTicks(row))
  const status = statusWords(words, row, now)
  const { tone } = rowState(row)
  return (
    <span className="line2">
      <span
        id={`${rowElementId(row.id)}-status`}
        className={attentionTones.includes(tone) ? `status cut ${tone}` : 'status cut'}
        title={plain(status)}
      >
        <Marked text={status} />
      </span>
      {row.host !== '' && <span className="host">{row.host}</span>}
    </span>
  )
}

function Size({ row }: { row: TaskRow }): JSX.Element {
  const words = useWords()
  const isUnknown = row.size === null
  const isUnderWay = hasBar(row) && row.state !== 'FAILED'
  return (
    <div className={isUnknown ? 'size is-unknown' : 'size'} role="gridcell">
      <bdi>{row.size === null ? words.t('size.unknown') : words.format.size(row.size)}</bdi>
      {isUnderWay && (
        <span>
          <bdi>
            {row.size === null && row.progress === 0
              ? words.format.size(row.doneBytes)
              : words.format.percent(row.progress / 100)}
          </bdi>
        </span>
      )}
    </div>
  )
}

function RowBody({ row, hasActions }: { row: TaskRow; hasActions: boolean }): JSX.Element {
  const step = nextStep(row)
  return (
    <>
      <div className="tile" role="gridcell">
        <Icon name={typeIcon(row)} />
        {row.fileCount > 1 && <span className="badge">{row.fileCount}</span>}
      </div>
      <div className="main" role="gridcell">
        <div className="text">
          <span id={`${rowElementId(row.id)}-title`} className="title cut" title={row.title}>
            {row.title}
          </span>
          <StatusLine row={row} />
        </div>
        {step !== null && <NextStepButton row={row} step={step} />}
        {hasBar(row) && (
          <Bar
            name={row.title}
            progress={row.progress}
            tone={rowState(row).tone}
            pieces={row.pieces}
            pace={row.size === null || row.size === 0 ? 0 : row.bytesPerSecond / row.size}
          />
        )}
      </div>
      <Size row={row} />
      <div className="state" role="gridcell">
        <Chip row={row} />
      </div>
      {hasActions && <RowActions row={row} />}
    </>
  )
}

export const Row = memo(function Row(props: RowProps): JSX.Element {
  const { id, index, isActive } = props
  const app = useApp()
  // buttons that nobody sees cost as much as those that are seen: only the row in use has them
  const [isHovered, setIsHovered] = useState(false)
  const row = useAppState((state) => state.list.rows.get(id))
  const isChosen = useAppState((state) => isSelected(state.cursor.selection, id))
  const classes = [
    'row',
    isActive ? 'is-active' : '',
    row !== undefined && nextStep(row) !== null ? 'has-act' : '',
    row?.state === 'CANCELLED' ? 'is-off' : '',
  ]
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
      {row !== undefined && <RowBody row={row} hasActions={isActive || isHovered} />}
    </div>
  )
})
