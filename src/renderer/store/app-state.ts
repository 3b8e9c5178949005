/** Everything the window shows, as one value. Hosts' facts come in by events; the rest is what the user is doing. */
import type { CommandResult, Target } from '../../shared/contract/commands.ts'
import type { ErrorRecord } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings.ts'
import type { ListQuery, TaskRow } from '../../shared/view.ts'
import type { MessageKey } from '../i18n/catalogue.ts'
import type { Values } from '../i18n/words.ts'
import { emptyList } from './list-state.ts'
import type { ListState } from './list-state.ts'
import { noCursor } from './selection.ts'
import type { Cursor } from './selection.ts'

export type View = Pick<ListQuery, 'filter' | 'search' | 'sort' | 'order'>

export const detailsTabs = ['overview', 'files', 'steps', 'connections'] as const
export type DetailsTab = (typeof detailsTabs)[number]

/** The one layer above the window, if any. */
export type Layer =
  | { readonly kind: 'add'; readonly links: string }
  | { readonly kind: 'edit'; readonly id: string; readonly focus: 'link' | 'all' }
  | { readonly kind: 'review'; readonly id: string }
  | { readonly kind: 'storage'; readonly id: string }
  /** `rows` are those of the targets that are known */
  | { readonly kind: 'delete-files'; readonly targets: readonly Target[]; readonly rows: readonly TaskRow[] }
  | { readonly kind: 'palette' }

/** A message with its values, put into words where it is shown so that a change of language reaches it. */
export interface Message {
  readonly key: MessageKey
  readonly values?: Values
}

export interface Toast {
  readonly id: number
  readonly tone: 'plain' | 'failed' | 'completed'
  readonly message: Message
  /** shown behind the message */
  readonly error: ErrorRecord | null
  /** an undoable removal: its tasks, and when the chance ends */
  readonly undo: { readonly ids: readonly string[]; readonly until: number } | null
}

export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'lost' }
  /** the host does not know this client: a secret is asked for */
  | { readonly kind: 'signed-out'; readonly error: ErrorRecord | null }

export interface AppState {
  readonly connection: Connection
  readonly info: CommandResult<'app.info'> | null
  readonly settings: Settings | null
  readonly view: View
  readonly list: ListState
  readonly cursor: Cursor
  readonly bytesPerSecond: number
  /** total speed of the last minute, one figure a second, oldest first */
  readonly speeds: readonly number[]
  readonly screen: 'list' | 'settings'
  readonly layer: Layer | null
  readonly areDetailsOpen: boolean
  readonly detailsTab: DetailsTab
  readonly isSearchOpen: boolean
  readonly toasts: readonly Toast[]
  /** what screen readers are told next */
  readonly announcement: {
    readonly id: number
    readonly message: Message
    readonly error: ErrorRecord | null
  } | null
  /** bytes per second that the switch of the sidebar turns on */
  readonly limitWhenOn: number
}

export const initialState: AppState = {
  connection: { kind: 'connecting' },
  info: null,
  settings: null,
  view: { filter: 'all', search: '', sort: 'created', order: 'desc' },
  list: emptyList,
  cursor: noCursor,
  bytesPerSecond: 0,
  speeds: [],
  screen: 'list',
  layer: null,
  areDetailsOpen: false,
  detailsTab: 'overview',
  isSearchOpen: false,
  toasts: [],
  announcement: null,
  limitWhenOn: 5_000_000,
}

/** Seconds of total speed that are kept. */
export const speedHistoryLength = 60
