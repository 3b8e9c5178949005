/** The window's `App` for all components, and their way to read its store. */
import { createContext, use } from 'react'
import { useStore } from 'zustand'
import type { AppState } from './store/app-state.ts'
import type { App } from './store/app.ts'

export const AppContext = createContext<App | null>(null)

export function useApp(): App {
  const app = use(AppContext)
  if (app === null) throw new Error('A component stands outside of AppContext')
  return app
}

/** A part of the state; the component is drawn again only when that part is another value. */
export function useAppState<T>(selector: (state: AppState) => T): T {
  return useStore(useApp().store, selector)
}
