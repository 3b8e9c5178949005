import { useAppState } from '../../app-context.tsx'

/** Only the buttons of the row that the keyboard is on are on the way of Tab: one stop in the list, not a thousand. */
export function useRowTabIndex(id: string): 0 | -1 {
  return useAppState((state) => (state.cursor.active === id ? 0 : -1))
}
