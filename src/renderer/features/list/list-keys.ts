/** The keyboard of the list as a pure table: which key does what. The list carries it out. */

export type ListMove = 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last'

export type ListKey =
  | { readonly kind: 'move'; readonly move: ListMove; readonly how: 'select' | 'extend' | 'only-move' }
  | { readonly kind: 'toggle' }
  | { readonly kind: 'extend-here' }
  | { readonly kind: 'pause-or-resume' }
  | { readonly kind: 'open' }
  | { readonly kind: 'menu' }
  | { readonly kind: 'select-none' }

const moves: Readonly<Record<string, ListMove>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  PageUp: 'page-up',
  PageDown: 'page-down',
  Home: 'first',
  End: 'last',
}

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

export function listKey(event: Keys): ListKey | null {
  const mod = event.ctrlKey || event.metaKey
  if (event.altKey) return null
  const move = moves[event.key]
  // Ctrl Shift with an arrow moves tasks in the queue (a command), not the selection
  if (move !== undefined && mod && event.shiftKey) return null
  if (move !== undefined) {
    return { kind: 'move', move, how: event.shiftKey ? 'extend' : mod ? 'only-move' : 'select' }
  }
  if (event.key === ' ') {
    if (mod) return { kind: 'toggle' }
    return event.shiftKey ? { kind: 'extend-here' } : { kind: 'pause-or-resume' }
  }
  if (event.key === 'Enter') return { kind: 'open' }
  if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) return { kind: 'menu' }
  if (event.key === 'Escape') return { kind: 'select-none' }
  return null
}

/** The place after a move; the list has `total` places, a page has `page` of them. Null in an empty list. */
export function placeAfter(move: ListMove, from: number, total: number, page: number): number | null {
  if (total === 0) return null
  const within = (place: number): number => Math.min(total - 1, Math.max(0, place))
  switch (move) {
    case 'up':
      return within(from === -1 ? total - 1 : from - 1)
    case 'down':
      return within(from + 1)
    case 'page-up':
      return within(from - page)
    case 'page-down':
      return within(from + page)
    case 'first':
      return 0
    case 'last':
      return total - 1
  }
}
