/** The store of the window, and what of it is remembered from one time to the next. */
import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import { detailsTabs, initialState } from './app-state.ts'
import type { AppState } from './app-state.ts'

export type AppStore = StoreApi<AppState>

const key = 'sluice.window'
type Remembered = Pick<AppState, 'areDetailsOpen' | 'detailsTab' | 'limitWhenOn'> & {
  readonly view: Pick<AppState['view'], 'filter' | 'sort' | 'order'>
}

const filters: readonly string[] = ['all', 'running', 'waiting', 'paused', 'completed', 'failed']
const sorts: readonly string[] = ['queue', 'created', 'title', 'size', 'progress', 'state', 'finished']

/** Only what is still understood is taken: another version may have written it. */
function readRemembered(storage: Storage): Partial<AppState> {
  let stored: unknown
  try {
    stored = JSON.parse(storage.getItem(key) ?? 'null')
  } catch {
    return {}
  }
  if (typeof stored !== 'object' || stored === null) return {}
  // every field is checked below before it is used
  const { view, areDetailsOpen, detailsTab, limitWhenOn } = stored as Partial<Remembered>
  const isKnownView =
    view !== undefined &&
    filters.includes(view.filter) &&
    sorts.includes(view.sort) &&
    /^(asc|desc)$/.test(view.order)
  return {
    ...(isKnownView ? { view: { ...initialState.view, ...view } } : {}),
    ...(typeof areDetailsOpen === 'boolean' ? { areDetailsOpen } : {}),
    ...(detailsTab !== undefined && detailsTabs.includes(detailsTab) ? { detailsTab } : {}),
    ...(typeof limitWhenOn === 'number' && limitWhenOn > 0 ? { limitWhenOn } : {}),
  }
}

/** A store that opens on the last view. What cannot be kept (a full or forbidden storage) is simply not kept. */
export function createAppStore(storage: Storage): AppStore {
  const store = createStore<AppState>(() => ({ ...initialState, ...readRemembered(storage) }))
  store.subscribe((state, before) => {
    const isSame =
      state.view === before.view &&
      state.areDetailsOpen === before.areDetailsOpen &&
      state.detailsTab === before.detailsTab &&
      state.limitWhenOn === before.limitWhenOn
    if (isSame) return
    const { filter, sort, order } = state.view
    const { areDetailsOpen, detailsTab, limitWhenOn } = state
    const remembered: Remembered = { view: { filter, sort, order }, areDetailsOpen, detailsTab, limitWhenOn }
    try {
      storage.setItem(key, JSON.stringify(remembered))
    } catch {
      // the window works without a memory
    }
  })
  return store
}
