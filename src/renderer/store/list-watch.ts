/**
 * Keeps the host's window on the list where the user looks, and the copy of it true. After each change of the
 * window a snapshot is asked for: events may have crossed on the way, and the answer's place among the events is
 * exact, because each transport keeps the order of what the host sends.
 */
import type { Bridge } from '../../shared/contract/bridge.ts'
import type { ListQuery } from '../../shared/view.ts'
import type { AppStore } from './app-store.ts'
import type { View } from './app-state.ts'
import {
  applyChanged,
  applyRemoved,
  applySnapshot,
  applyWindow,
  beforeFirstEvent,
  passOver,
} from './list-state.ts'
import type { Followed } from './list-state.ts'
import { noCursor, withoutGone } from './selection.ts'

/** Rows before and after the visible ones that are held ready. */
const margin = 60
const windowStep = 50
const smallestWindow = 200
const largestWindow = 500
/** most ids that are asked for at once when the whole order is needed */
const pageLimit = 500

export interface ListWatch {
  /** Shows other tasks, from the top. */
  setView(view: Partial<View>): void
  /** Tells which places of the list are visible; the host's window follows when they come near its edge. */
  setVisible(first: number, last: number): void
  /** Watches from scratch on a new connection: at the start and after a lost one. */
  connected(): void
  /** All ids of the current view, in order, asked for page by page; null when the host did not answer. */
  wholeOrder(): Promise<string[] | null>
}

/** The window to watch for these visible places; null when the present one will do. */
export function windowFor(
  visible: { first: number; last: number },
  present: { offset: number; limit: number },
): { offset: number; limit: number } | null {
  const { first, last } = visible
  const isInside = first >= present.offset && last < present.offset + present.limit
  const nearTop = first - present.offset < margin / 2 && present.offset > 0
  const nearEnd = present.offset + present.limit - last < margin / 2
  if (isInside && !nearTop && !nearEnd) return null
  const offset = Math.max(0, Math.floor((first - margin) / windowStep) * windowStep)
  const needed = Math.ceil((last + margin - offset) / windowStep) * windowStep
  return { offset, limit: Math.min(largestWindow, Math.max(smallestWindow, needed)) }
}

export function createListWatch(bridge: Bridge, store: AppStore): ListWatch {
  let window = { offset: 0, limit: smallestWindow }
  let generation = 0
  /** between a new watch and its snapshot: events may still be about the old window */
  let isMoving = false

  const query = (): ListQuery => ({ ...store.getState().view, ...window })

  const watch = async (): Promise<void> => {
    const mine = ++generation
    isMoving = true
    const asked = query()
    await bridge.watchList(asked)
    if (mine !== generation) return
    const answer = await bridge.call('list.query', asked)
    if (mine !== generation) return
    isMoving = false
    if (!answer.ok) return
    store.setState((state) => ({ list: applySnapshot(state.list, answer.value, asked.offset) }))
  }

  const take = (followed: Followed): void => {
    const before = store.getState()
    store.setState({ list: followed.list })
    const gone = new Set(before.list.ids.filter((id) => !followed.list.rows.has(id)))
    // ids that only left the window are still in the list: only a shrinking list loses selected tasks
    if (gone.size > 0 && followed.list.total < before.list.total) {
      store.setState({
        cursor: withoutGone(before.cursor, gone, before.list.ids, followed.list.ids),
      })
    }
    if (followed.needsSnapshot) void watch()
  }

  bridge.on('list.window', (event) => {
    if (isMoving) store.setState((state) => ({ list: passOver(state.list, event) }))
    else take(applyWindow(store.getState().list, event))
  })
  bridge.on('tasks.changed', (event) => take(applyChanged(store.getState().list, event)))
  bridge.on('tasks.removed', (event) => take(applyRemoved(store.getState().list, event)))

  return {
    setView: (view) => {
      window = { offset: 0, limit: smallestWindow }
      // the rows of the old view stay until the new ones are here: nothing flickers
      store.setState((state) => ({ view: { ...state.view, ...view }, cursor: noCursor }))
      void watch()
    },
    setVisible: (first, last) => {
      const next = windowFor({ first, last }, window)
      if (next === null || (next.offset === window.offset && next.limit === window.limit)) return
      window = next
      void watch()
    },
    connected: () => {
      store.setState((state) => ({ list: beforeFirstEvent(state.list) }))
      void watch()
    },
    wholeOrder: async () => {
      const ids: string[] = []
      for (;;) {
        const { view } = store.getState()
        const answer = await bridge.call('list.query', { ...view, offset: ids.length, limit: pageLimit })
        if (!answer.ok) return null
        ids.push(...answer.value.ids)
        if (answer.value.ids.length < pageLimit) return ids
      }
    },
  }
}
