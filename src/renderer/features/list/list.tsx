/**
 * The list: a grid of which only the visible rows exist. The keyboard stays on the grid itself and names its row by
 * `aria-activedescendant`, so that scrolling a row away never takes the focus with it.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useRef } from 'react'
import type { JSX, KeyboardEvent } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { canPause, canRestart } from '../../rows/abilities.ts'
import { selectNone, selectOnly } from '../../store/selection.ts'
import { commands, situationOf } from '../commands/commands.ts'
import { focusList, listElementId } from './focus-list.ts'
import { listKey, placeAfter } from './list-keys.ts'
import type { ListKey } from './list-keys.ts'
import { openMenuAt } from './open-menu-at.ts'
import { rowElementId } from './row-element-id.ts'
import { Row } from './row.tsx'
import { activePlace, useListCursor } from './use-list-cursor.ts'
import { useRem } from './use-rem.ts'

/** Heights of a row in rem (styles/tokens.css). */
const rowHeights = { comfortable: 3.75, compact: 2 }
const overscan = 6

/** The rows that exist now, of a list of `total`. The host's window follows them. */
function useVirtualRows(total: number, height: number) {
  const app = useApp()
  const view = useAppState((state) => state.view)
  const scroller = useRef<HTMLDivElement>(null)
  // its functions change what they answer without changing themselves: they are called, never handed on
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan,
  })
  const items = virtualizer.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0
  useEffect(() => virtualizer.measure(), [virtualizer, height])
  useEffect(() => virtualizer.scrollToOffset(0), [virtualizer, view])
  useEffect(() => app.list.setVisible(first, last), [app, first, last])
  return {
    scroller,
    items,
    wholeHeight: virtualizer.getTotalSize(),
    scrollTo: (place: number) => virtualizer.scrollToIndex(place, { align: 'auto' }),
  }
}

export function List(): JSX.Element {
  const app = useApp()
  const words = useWords()
  // rows redraw themselves: the list only when tasks come, go or change places
  const ids = useAppState((state) => state.list.ids)
  const offset = useAppState((state) => state.list.offset)
  const total = useAppState((state) => state.list.total)
  const active = useAppState((state) => state.cursor.active)
  const density = useAppState((state) => state.settings?.density ?? 'comfortable')
  const height = rowHeights[density] * useRem()
  const { scroller, items, wholeHeight, scrollTo } = useVirtualRows(total, height)
  const isActiveDrawn = active !== null && items.some((item) => ids[item.index - offset] === active)
  const cursor = useListCursor(scrollTo)
  const onOpen = useCallback((id: string) => openRow(app, id), [app])
  const onKeyDown = (event: KeyboardEvent): void => {
    // a button in a row keeps Enter and space to itself
    const isOnButton = event.target instanceof HTMLButtonElement
    const key = listKey(event)
    if (key === null || (isOnButton && (key.kind === 'open' || key.kind === 'pause-or-resume'))) return
    event.preventDefault()
    if (isOnButton && key.kind === 'move') focusList()
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / height) - 1)
    actOnKey(app, key, cursor, page)
  }
  return (
    <div
      ref={scroller}
      id={listElementId}
      className="list"
      role="grid"
      aria-label={words.t('list.name')}
      aria-multiselectable="true"
      aria-rowcount={total}
      tabIndex={0}
      {...(isActiveDrawn ? { 'aria-activedescendant': rowElementId(active) } : {})}
      onKeyDown={onKeyDown}
      onFocus={() => beginCursor(app)}
    >
      <div className="rows" role="rowgroup" style={{ height: wholeHeight }}>
        {items.map((item) => {
          const id = ids[item.index - offset]
          return id === undefined ? null : (
            <Row
              key={id}
              id={id}
              index={item.index}
              top={item.start}
              isActive={id === active}
              onPress={cursor.press}
              onOpen={onOpen}
            />
          )
        })}
      </div>
    </div>
  )
}

/** The first time the keyboard comes to the list it stands on the first row, without selecting it. */
function beginCursor(app: ReturnType<typeof useApp>): void {
  const { cursor, list } = app.store.getState()
  const [first] = list.ids
  if (cursor.active === null && first !== undefined) {
    app.store.setState({ cursor: { ...cursor, active: first, anchor: first } })
  }
}

/** Opens the file of a finished task; whatever else a task is, its details are shown. */
function openRow(app: ReturnType<typeof useApp>, id: string): void {
  const state = app.store.getState()
  const row = state.list.rows.get(id)
  const opensFiles = state.info?.capabilities.includes('desktop.openFile') ?? false
  if (row !== undefined && row.outputs.length > 0 && opensFiles) void app.operations.openFile(id)
  else app.store.setState({ areDetailsOpen: true })
}

function actOnKey(
  app: ReturnType<typeof useApp>,
  key: ListKey,
  cursor: ReturnType<typeof useListCursor>,
  page: number,
): void {
  const { cursor: present, list } = app.store.getState()
  switch (key.kind) {
    case 'move': {
      const place = placeAfter(key.move, activePlace(app), list.total, page)
      if (place !== null) cursor.moveToPlace(place, key.how)
      return
    }
    case 'toggle':
      cursor.toggleActive()
      return
    case 'extend-here':
      cursor.extendHere()
      return
    case 'pause-or-resume':
      pauseOrResume(app)
      return
    case 'open':
      if (present.active !== null) openRow(app, present.active)
      return
    case 'menu': {
      const element = present.active === null ? null : document.getElementById(rowElementId(present.active))
      if (element !== null) openMenuAt(element)
      return
    }
    case 'select-none':
      app.store.setState({ cursor: selectNone(present) })
  }
}

/** Space: pauses what can be paused; when nothing can, goes on with the rest. Without a selection, the row it is on. */
function pauseOrResume(app: ReturnType<typeof useApp>): void {
  const { cursor } = app.store.getState()
  if (cursor.selection.kind === 'some' && cursor.selection.ids.size === 0 && cursor.active !== null) {
    app.store.setState({ cursor: selectOnly(cursor.active) })
  }
  const situation = situationOf(app.store.getState())
  const active = situation.rows.filter((row) => row.state === 'RUNNING' || row.state === 'WAITING')
  if (situation.isAllSelected || active.some(canPause)) commands.pause.run(app, situation)
  else if (situation.rows.some(canRestart)) commands.restart.run(app, situation)
}
