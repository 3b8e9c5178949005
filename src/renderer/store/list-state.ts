/**
 * The window's copy of the list: the ids of the watched window, their rows, and how far the events have been
 * followed. Pure: every change is a function from the old copy to the new one.
 *
 * Revisions count a connection's events without gaps: one that is missing, like an event of another epoch (a new life
 * of the host), means that the copy cannot be trusted, and a snapshot is asked for.
 */
import type { Events } from '../../shared/contract/events.ts'
import type { ListCounts, ListWindow, TaskRow } from '../../shared/view.ts'

export interface ListState {
  /** null until the first event of the connection */
  readonly epoch: string | null
  readonly revision: number
  /** position of `ids[0]` in the whole list */
  readonly offset: number
  readonly ids: readonly string[]
  readonly total: number
  readonly counts: ListCounts
  readonly rows: ReadonlyMap<string, TaskRow>
  /** false until the first window has come: nothing is "empty" before that */
  readonly isKnown: boolean
}

export const emptyList: ListState = {
  epoch: null,
  revision: 0,
  offset: 0,
  ids: [],
  total: 0,
  counts: { all: 0, running: 0, waiting: 0, paused: 0, completed: 0, failed: 0 },
  rows: new Map(),
  isKnown: false,
}

/** The copy after an event, and whether it can still be trusted. */
export interface Followed {
  readonly list: ListState
  readonly needsSnapshot: boolean
}

type Stamp = Pick<Events['tasks.changed'], 'epoch' | 'revision'>

function follow(list: ListState, stamp: Stamp, apply: (list: ListState) => ListState): Followed {
  const isNewLife = list.epoch !== null && list.epoch !== stamp.epoch
  const stamped = { ...list, epoch: stamp.epoch, revision: stamp.revision }
  if (isNewLife) return { list: stamped, needsSnapshot: true }
  const isMissing = list.epoch !== null && stamp.revision > list.revision + 1
  return { list: apply(stamped), needsSnapshot: isMissing }
}

/** Takes note of an event whose contents are about something else than what is shown now. */
export function passOver(list: ListState, event: Stamp): ListState {
  return { ...list, epoch: event.epoch, revision: event.revision }
}

/** The copy for a new connection: its revisions begin anew. What is shown stays until there is news. */
export function beforeFirstEvent(list: ListState): ListState {
  return { ...list, epoch: null, revision: 0 }
}

/** Patches of rows; those of rows that are not here are not ours to keep. */
export function applyChanged(list: ListState, event: Events['tasks.changed']): Followed {
  return follow(list, event, (stamped) => {
    let rows: Map<string, TaskRow> | null = null
    for (const patch of event.patches) {
      const row = stamped.rows.get(patch.id)
      if (row === undefined) continue
      rows ??= new Map(stamped.rows)
      rows.set(patch.id, withPatch(row, patch))
    }
    return rows === null ? stamped : { ...stamped, rows }
  })
}

type Patch = Events['tasks.changed']['patches'][number]

/** A patch holds only fields that differ; a field that is there and undefined would be no change. */
function withPatch(row: TaskRow, patch: Patch): TaskRow {
  const present = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
  return { ...row, ...present }
}

/** Removed tasks go at once; the window that follows closes the gap at the end. */
export function applyRemoved(list: ListState, event: Events['tasks.removed']): Followed {
  return follow(list, event, (stamped) => {
    const gone = new Set(event.ids)
    const ids = stamped.ids.filter((id) => !gone.has(id))
    const removed = stamped.ids.length - ids.length
    if (removed === 0) return stamped
    const rows = new Map([...stamped.rows].filter(([id]) => !gone.has(id)))
    return { ...stamped, ids, rows, total: Math.max(0, stamped.total - removed) }
  })
}

/** A new window. `needsSnapshot` also when it names rows that neither it nor the copy has. */
export function applyWindow(list: ListState, event: Events['list.window']): Followed {
  const followed = follow(list, event, (stamped) => withWindow(stamped, event.window, event.rows))
  const isWhole = followed.list.ids.every((id) => followed.list.rows.has(id))
  return { list: followed.list, needsSnapshot: followed.needsSnapshot || !isWhole }
}

/** The answer of `list.query` at `offset`: the whole truth at the moment it arrives. */
export function applySnapshot(
  list: ListState,
  snapshot: ListWindow & { rows: readonly TaskRow[] },
  offset: number,
): ListState {
  return withWindow({ ...list, offset, rows: new Map() }, snapshot, snapshot.rows)
}

function withWindow(list: ListState, window: ListWindow, fresh: readonly TaskRow[]): ListState {
  const known = new Map(list.rows)
  for (const row of fresh) known.set(row.id, row)
  const rows = new Map<string, TaskRow>()
  for (const id of window.ids) {
    const row = known.get(id)
    if (row !== undefined) rows.set(id, row)
  }
  return { ...list, ids: window.ids, total: window.total, counts: window.counts, rows, isKnown: true }
}

/** The id at a place of the whole list; undefined outside the watched window. */
export function idAt(list: ListState, index: number): string | undefined {
  return list.ids[index - list.offset]
}

/** The place in the whole list of an id of the watched window; -1 for others. */
export function indexOf(list: ListState, id: string): number {
  const index = list.ids.indexOf(id)
  return index === -1 ? -1 : index + list.offset
}
