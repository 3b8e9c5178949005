/**
 * Moves the list's cursor by mouse and keyboard. A place that is not loaded yet (End in a long list) is remembered
 * and taken when its row arrives; a range over rows that are not loaded asks for the whole order first.
 */
import { useCallback, useEffect, useRef } from 'react'
import type { MouseEvent } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import type { App } from '../../store/app.ts'
import { focusList } from './focus-list.ts'
import { idAt, indexOf } from '../../store/list-state.ts'
import type { Cursor } from '../../store/selection.ts'
import { extendTo, moveTo, selectOnly, toggle } from '../../store/selection.ts'

type How = 'select' | 'extend' | 'only-move'

export interface ListCursor {
  press: (id: string, event: MouseEvent) => void
  moveToPlace: (place: number, how: How) => void
  toggleActive: () => void
  extendHere: () => void
}

const setCursor = (app: App, change: (cursor: Cursor) => Cursor): void => {
  app.store.setState((state) => ({ cursor: change(state.cursor) }))
}

/** The order as far as these ids need it; null when the host did not answer. */
async function orderHolding(app: App, ids: readonly (string | null)[]): Promise<readonly string[] | null> {
  const { list, cursor } = app.store.getState()
  const isLoaded = cursor.selection.kind === 'some' || list.ids.length === list.total
  const known = new Set(list.ids)
  if (isLoaded && ids.every((id) => id === null || known.has(id))) return list.ids
  return app.list.wholeOrder()
}

async function extend(app: App, id: string, isAdditive: boolean): Promise<void> {
  const order = await orderHolding(app, [id, app.store.getState().cursor.anchor])
  if (order !== null) setCursor(app, (cursor) => extendTo(cursor, id, order, isAdditive))
}

async function toggleOne(app: App, id: string): Promise<void> {
  const order = await orderHolding(app, [id])
  if (order !== null) setCursor(app, (cursor) => toggle(cursor, id, order))
}

function go(app: App, id: string, how: How): void {
  if (how === 'extend') void extend(app, id, false)
  else setCursor(app, (cursor) => (how === 'select' ? selectOnly(id) : moveTo(cursor, id)))
}

export function useListCursor(scrollTo: (place: number) => void): ListCursor {
  const app = useApp()
  const ids = useAppState((state) => state.list.ids)
  const awaited = useRef<{ place: number; how: How } | null>(null)

  useEffect(() => {
    const wanted = awaited.current
    if (wanted === null) return
    const id = idAt(app.store.getState().list, wanted.place)
    if (id === undefined) return
    awaited.current = null
    go(app, id, wanted.how)
  }, [app, ids])

  const press = useCallback(
    (id: string, event: MouseEvent) => {
      if (event.shiftKey) void extend(app, id, event.ctrlKey || event.metaKey)
      else if (event.ctrlKey || event.metaKey) void toggleOne(app, id)
      else setCursor(app, () => selectOnly(id))
      focusList()
    },
    [app],
  )

  return {
    press,
    moveToPlace: (place, how) => {
      scrollTo(place)
      const id = idAt(app.store.getState().list, place)
      if (id === undefined) awaited.current = { place, how }
      else go(app, id, how)
    },
    toggleActive: () => {
      const { active } = app.store.getState().cursor
      if (active !== null) void toggleOne(app, active)
    },
    extendHere: () => {
      const { active } = app.store.getState().cursor
      if (active !== null) void extend(app, active, false)
    },
  }
}

/** The place of the keyboard in the whole list; -1 when it is not in the loaded window. */
export function activePlace(app: App): number {
  const { cursor, list } = app.store.getState()
  return cursor.active === null ? -1 : indexOf(list, cursor.active)
}
