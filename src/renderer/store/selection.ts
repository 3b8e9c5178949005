/**
 * Which tasks are selected. Some by id, or all that the current query shows: a hundred thousand rows are selected
 * and commanded without naming them. Pure; `order` is the list as it is shown, as far as it is known.
 */
import type { Target } from '../../shared/contract/commands.ts'
import type { ListQuery } from '../../shared/view.ts'

export type Selection =
  { readonly kind: 'some'; readonly ids: ReadonlySet<string> } | { readonly kind: 'all' }

export interface Cursor {
  readonly selection: Selection
  /** the row that the keyboard is on; null before the first use */
  readonly active: string | null
  /** where a range begins (shift) */
  readonly anchor: string | null
}

const none: Selection = { kind: 'some', ids: new Set() }

export const noCursor: Cursor = { selection: none, active: null, anchor: null }

export const some = (ids: Iterable<string>): Selection => ({ kind: 'some', ids: new Set(ids) })

export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === 'all' || selection.ids.has(id)
}

export function selectedCount(selection: Selection, total: number): number {
  return selection.kind === 'all' ? total : selection.ids.size
}

/** Click or plain arrow: this one only. */
export function selectOnly(id: string): Cursor {
  return { selection: some([id]), active: id, anchor: id }
}

/** Ctrl with arrow: the keyboard moves, the selection stays. */
export function moveTo(cursor: Cursor, id: string): Cursor {
  return { ...cursor, active: id }
}

/** Ctrl with click or space. `order` must hold the whole list when everything is selected. */
export function toggle(cursor: Cursor, id: string, order: readonly string[]): Cursor {
  const ids = new Set(cursor.selection.kind === 'all' ? order : cursor.selection.ids)
  if (!ids.delete(id)) ids.add(id)
  return { selection: { kind: 'some', ids }, active: id, anchor: id }
}

/** Shift: from the anchor to here, instead of (or, with Ctrl, besides) what was selected. */
export function extendTo(cursor: Cursor, id: string, order: readonly string[], isAdditive = false): Cursor {
  const anchor = cursor.anchor !== null && order.includes(cursor.anchor) ? cursor.anchor : id
  const from = order.indexOf(anchor)
  const to = order.indexOf(id)
  if (from === -1 || to === -1) return selectOnly(id)
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  const kept = isAdditive && cursor.selection.kind === 'some' ? cursor.selection.ids : []
  return { selection: some([...kept, ...range]), active: id, anchor }
}

export function selectAll(cursor: Cursor): Cursor {
  return { ...cursor, selection: { kind: 'all' } }
}

export function selectNone(cursor: Cursor): Cursor {
  return { ...cursor, selection: none }
}

/**
 * The cursor after rows have gone. The keyboard stays in its place: on the row that moved up into it, else on the
 * last one.
 */
export function withoutGone(
  cursor: Cursor,
  gone: ReadonlySet<string>,
  before: readonly string[],
  after: readonly string[],
): Cursor {
  const { selection, active, anchor } = cursor
  const kept = selection.kind === 'all' ? selection : some([...selection.ids].filter((id) => !gone.has(id)))
  const place = active === null ? -1 : before.indexOf(active)
  const survivorsAbove = before.slice(0, Math.max(0, place)).filter((id) => !gone.has(id)).length
  const next = active !== null && gone.has(active) ? (after[survivorsAbove] ?? after.at(-1) ?? null) : active
  return { selection: kept, active: next, anchor: anchor !== null && gone.has(anchor) ? next : anchor }
}

/** Most ids of one command (contract). */
export const idsPerCommand = 10_000

/** The selection as the host understands it: ids in parts, or the query when everything is selected. */
export function selectionTargets(
  selection: Selection,
  view: Pick<ListQuery, 'filter' | 'search'>,
): readonly Target[] {
  if (selection.kind === 'all') return [{ query: { filter: view.filter, search: view.search } }]
  return inParts([...selection.ids]).map((ids) => ({ ids }))
}

/** Ids in as many parts as commands are needed. */
export function inParts(ids: readonly string[]): string[][] {
  const parts: string[][] = []
  for (let start = 0; start < ids.length; start += idsPerCommand) {
    parts.push(ids.slice(start, start + idsPerCommand))
  }
  return parts
}
