/**
 * Every command of the window, once: its words, its keys, when it is off and why, and what it does. Toolbar, menus,
 * palette and keyboard all read this table.
 */
import type { Target } from '../../../shared/contract/commands.ts'
import type { Settings } from '../../../shared/settings.ts'
import type { ListFilter, TaskRow } from '../../../shared/view.ts'
import type { MessageKey } from '../../i18n/catalogue.ts'
import type { IconName } from '../../parts/icon.tsx'
import {
  canCancel,
  canEdit,
  canMove,
  canOpen,
  canPause,
  canRestart,
  canRetryAsNew,
  canRetrySkipped,
  restartWord,
} from '../../rows/abilities.ts'
import type { AppState } from '../../store/app-state.ts'
import type { App } from '../../store/app.ts'
import { isSelected, selectAll, selectionTargets } from '../../store/selection.ts'
import { copyLinks } from './copy-links.ts'
import type { Shortcut } from './shortcut.ts'

/** What the commands look at. */
export interface Situation {
  readonly total: number
  readonly counts: AppState['list']['counts']
  /** the selected rows that are loaded */
  readonly rows: readonly TaskRow[]
  /** everything that the view shows is selected, loaded or not */
  readonly isAllSelected: boolean
  /** the selected tasks, loaded or not */
  readonly targets: readonly Target[]
  readonly capabilities: readonly string[]
  readonly settings: Settings | null
  readonly areDetailsOpen: boolean
}

export interface Command {
  readonly label: (situation: Situation) => MessageKey
  readonly icon: IconName
  readonly shortcut?: Shortcut
  /** the command makes no sense on this host: it is not shown at all */
  readonly isAbsent?: (situation: Situation) => boolean
  /** why it does nothing now, null when it works */
  readonly refusal: (situation: Situation) => MessageKey | null
  readonly run: (app: App, situation: Situation) => void
}

export type CommandId =
  | 'add'
  | 'pause'
  | 'restart'
  | 'remove'
  | 'delete-files'
  | 'pause-all'
  | 'restart-all'
  | 'cancel'
  | 'edit'
  | 'redownload'
  | 'retry-as-new'
  | 'retry-skipped'
  | 'to-front'
  | 'to-tail'
  | 'start-now'
  | 'open'
  | 'show-in-folder'
  | 'copy-link'
  | 'select-all'
  | 'clear-finished'
  | 'search'
  | 'details'
  | 'density'
  | 'settings'
  | 'palette'

const always = (): null => null
const label = (key: MessageKey) => (): MessageKey => key

/** Off unless some selected task can do it. */
const whenSome =
  (can: (row: TaskRow) => boolean) =>
  ({ rows, isAllSelected }: Situation): MessageKey | null => {
    if (rows.length === 0 && !isAllSelected) return 'refusal.noneSelected'
    return isAllSelected || rows.some(can) ? null : 'refusal.noneFits'
  }

/** Off unless exactly one task is selected and can do it. */
const whenOne =
  (can: (row: TaskRow) => boolean) =>
  ({ rows, isAllSelected }: Situation): MessageKey | null => {
    const [row] = rows
    if (row === undefined) return 'refusal.noneSelected'
    if (rows.length > 1 || isAllSelected) return 'refusal.oneOnly'
    return can(row) ? null : 'refusal.noneFits'
  }

/** The selected tasks that can do it; what is selected but not loaded is left to the host. */
function targetsThat(can: (row: TaskRow) => boolean, { targets, rows }: Situation): Target[] {
  const unfit = new Set(rows.filter((row) => !can(row)).map((row) => row.id))
  return targets.flatMap((target): Target[] => {
    if (!('ids' in target)) return [target]
    const ids = target.ids.filter((id) => !unfit.has(id))
    return ids.length === 0 ? [] : [{ ids }]
  })
}

const allOf = (...filters: ListFilter[]): Target[] =>
  filters.map((filter) => ({ query: { filter, search: '' } }))

const lacks =
  (capability: string) =>
  ({ capabilities }: Situation): boolean =>
    !capabilities.includes(capability)

const theRow = (situation: Situation, act: (row: TaskRow) => void): void => {
  const [row] = situation.rows
  if (row !== undefined) act(row)
}

export const commands: Readonly<Record<CommandId, Command>> = {
  add: {
    label: label('command.add'),
    icon: 'plus',
    shortcut: { key: 'n', mod: true },
    refusal: always,
    run: (app) => app.open({ kind: 'add', links: '' }),
  },
  pause: {
    label: label('action.pause'),
    icon: 'pause',
    refusal: whenSome(canPause),
    run: (app, situation) => void app.operations.run('tasks.pause', targetsThat(canPause, situation)),
  },
  restart: {
    label: ({ rows }) => restartWord(rows),
    icon: 'play',
    refusal: whenSome(canRestart),
    run: (app, situation) => void app.operations.run('tasks.restart', targetsThat(canRestart, situation)),
  },
  'pause-all': {
    label: label('command.pauseAll'),
    icon: 'pause',
    shortcut: { key: 'p', mod: true, shift: true },
    refusal: ({ counts }) =>
      counts.running + counts.waiting + counts.paused > 0 ? null : 'refusal.nothingActive',
    // the waiting ones first: none of them may take the place of one that was just paused
    run: (app) => void app.operations.run('tasks.pause', allOf('waiting', 'running', 'paused')),
  },
  'restart-all': {
    label: label('command.resumeAll'),
    icon: 'play',
    shortcut: { key: 'r', mod: true, shift: true },
    refusal: ({ counts }) => (counts.paused > 0 ? null : 'refusal.nothingPaused'),
    run: (app) => void app.operations.run('tasks.restart', allOf('paused')),
  },
  remove: {
    label: label('action.remove'),
    icon: 'trash',
    shortcut: { key: 'Delete' },
    refusal: whenSome(() => true),
    run: (app, { targets }) => void app.operations.remove(targets, false),
  },
  'delete-files': {
    label: label('command.deleteFiles'),
    icon: 'trash',
    shortcut: { key: 'Delete', shift: true },
    refusal: whenSome(() => true),
    run: (app, { targets, rows, isAllSelected }) =>
      app.open({ kind: 'delete-files', targets, rows: isAllSelected ? [] : rows }),
  },
  cancel: {
    label: label('command.cancel'),
    icon: 'cancel',
    refusal: whenSome(canCancel),
    run: (app, situation) => void app.operations.run('tasks.cancel', targetsThat(canCancel, situation)),
  },
  edit: {
    label: label('command.edit'),
    icon: 'edit',
    shortcut: { key: 'F2' },
    refusal: whenOne(canEdit),
    run: (app, situation) => theRow(situation, ({ id }) => app.open({ kind: 'edit', id, focus: 'all' })),
  },
  redownload: {
    label: label('action.redownload'),
    icon: 'retry',
    refusal: whenSome(() => true),
    run: (app, { targets }) => void app.operations.run('tasks.redownload', targets),
  },
  'retry-as-new': {
    label: label('command.retryAsNew'),
    icon: 'plus',
    refusal: whenSome(canRetryAsNew),
    run: (app, situation) =>
      void app.operations.run('tasks.retryAsNew', targetsThat(canRetryAsNew, situation)),
  },
  'retry-skipped': {
    label: label('command.retrySkipped'),
    icon: 'retry',
    isAbsent: ({ rows }) => !rows.some(canRetrySkipped),
    refusal: whenSome(canRetrySkipped),
    run: (app, situation) =>
      void app.operations.run('tasks.retrySkipped', targetsThat(canRetrySkipped, situation)),
  },
  'to-front': {
    label: label('command.toFront'),
    icon: 'top',
    shortcut: { key: 'ArrowUp', mod: true, shift: true },
    refusal: whenSome(canMove),
    run: (app, situation) => void app.operations.move(targetsThat(canMove, situation), 'front'),
  },
  'to-tail': {
    label: label('command.toTail'),
    icon: 'down',
    shortcut: { key: 'ArrowDown', mod: true, shift: true },
    refusal: whenSome(canMove),
    run: (app, situation) => void app.operations.move(targetsThat(canMove, situation), 'tail'),
  },
  'start-now': {
    label: label('command.startNow'),
    icon: 'play',
    refusal: whenOne(canMove),
    run: (app, situation) => theRow(situation, ({ id }) => void app.operations.startNow(id)),
  },
  open: {
    label: label('command.open'),
    icon: 'open',
    isAbsent: lacks('desktop.openFile'),
    refusal: whenOne(canOpen),
    run: (app, situation) => theRow(situation, ({ id }) => void app.operations.openFile(id)),
  },
  'show-in-folder': {
    label: label('command.showInFolder'),
    icon: 'folder',
    shortcut: { key: 'o', mod: true },
    isAbsent: lacks('desktop.showInFolder'),
    refusal: whenOne(() => true),
    run: (app, situation) => theRow(situation, ({ id }) => void app.operations.showInFolder(id)),
  },
  'copy-link': {
    label: label('command.copyLink'),
    icon: 'copy',
    shortcut: { key: 'c', mod: true },
    refusal: whenSome(() => true),
    run: (app, { rows }) =>
      void copyLinks(
        app,
        rows.map((row) => row.id),
      ),
  },
  'select-all': {
    label: label('command.selectAll'),
    icon: 'check',
    shortcut: { key: 'a', mod: true },
    refusal: ({ total }) => (total > 0 ? null : 'refusal.emptyList'),
    run: (app) => app.store.setState((state) => ({ cursor: selectAll(state.cursor) })),
  },
  'clear-finished': {
    label: label('command.clearFinished'),
    icon: 'done',
    refusal: ({ counts }) => (counts.completed + counts.failed > 0 ? null : 'refusal.nothingFinished'),
    run: (app) => void app.operations.clearFinished(),
  },
  search: {
    label: label('command.search'),
    icon: 'search',
    shortcut: { key: 'f', mod: true },
    refusal: always,
    run: (app) => app.store.setState({ isSearchOpen: true, screen: 'list' }),
  },
  details: {
    label: ({ areDetailsOpen }) => (areDetailsOpen ? 'command.hideDetails' : 'command.showDetails'),
    icon: 'panel',
    shortcut: { key: 'i', mod: true },
    refusal: always,
    run: (app) => app.store.setState((state) => ({ areDetailsOpen: !state.areDetailsOpen })),
  },
  density: {
    label: ({ settings }) => (settings?.density === 'compact' ? 'command.comfortable' : 'command.compact'),
    icon: 'density',
    refusal: always,
    run: (app, { settings }) =>
      void app.setSettings({ density: settings?.density === 'compact' ? 'comfortable' : 'compact' }),
  },
  settings: {
    label: label('command.settings'),
    icon: 'sliders',
    shortcut: { key: ',', mod: true },
    refusal: always,
    run: (app) => app.store.setState({ screen: 'settings' }),
  },
  palette: {
    label: label('command.palette'),
    icon: 'search',
    shortcut: { key: 'k', mod: true },
    refusal: always,
    run: (app) => app.open({ kind: 'palette' }),
  },
}

/** The selected rows that are loaded, in the order of the list. */
export function selectedRows({ list, cursor }: Pick<AppState, 'list' | 'cursor'>): TaskRow[] {
  return [...list.rows.values()].filter((row) => isSelected(cursor.selection, row.id))
}

/** What commands look at besides rows, each part with its identity: the same parts make the same situation. */
export function situationFacts(state: AppState) {
  return {
    selection: state.cursor.selection,
    view: state.view,
    total: state.list.total,
    counts: state.list.counts,
    info: state.info,
    settings: state.settings,
    areDetailsOpen: state.areDetailsOpen,
  }
}

export function situationFrom(facts: ReturnType<typeof situationFacts>, rows: readonly TaskRow[]): Situation {
  return {
    total: facts.total,
    counts: facts.counts,
    rows,
    isAllSelected: facts.selection.kind === 'all',
    targets: selectionTargets(facts.selection, facts.view),
    capabilities: facts.info?.capabilities ?? [],
    settings: facts.settings,
    areDetailsOpen: facts.areDetailsOpen,
  }
}

export function situationOf(state: AppState): Situation {
  return situationFrom(situationFacts(state), selectedRows(state))
}

/** The situation as if only this row were selected: for the actions on a row. */
export function situationOfRow(state: AppState, row: TaskRow): Situation {
  return {
    ...situationFrom(situationFacts(state), [row]),
    isAllSelected: false,
    targets: [{ ids: [row.id] }],
  }
}
