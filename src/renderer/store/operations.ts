/**
 * What the user can do to tasks. Each asks the host and waits for its events: nothing is shown as done before the
 * host says so. Refusals of single tasks become one toast.
 */
import type { Answer, Bridge } from '../../shared/contract/bridge.ts'
import type { CommandInput, CommandResult, OperationResult, Target } from '../../shared/contract/commands.ts'
import type { MessageKey } from '../i18n/catalogue.ts'
import type { AppStore } from './app-store.ts'
import type { ListWatch } from './list-watch.ts'
import type { Messages } from './messages.ts'
import { inParts, selectNone } from './selection.ts'

/** Time in which a removal can be undone, milliseconds: the host purges after it. */
export const undoTimeMs = 8000

type TargetCommand =
  | 'tasks.pause'
  | 'tasks.restart'
  | 'tasks.cancel'
  | 'tasks.redownload'
  | 'tasks.retrySkipped'
  | 'tasks.retryAsNew'

export interface Operations {
  run(name: TargetCommand, targets: readonly Target[]): Promise<void>
  add(input: CommandInput<'tasks.add'>): Promise<Answer<CommandResult<'tasks.add'>>>
  remove(targets: readonly Target[], deleteFiles: boolean): Promise<void>
  undo(toastId: number): Promise<void>
  edit(input: CommandInput<'tasks.edit'>): Promise<Answer<OperationResult>>
  select(id: string, selected: string[]): Promise<void>
  review(input: CommandInput<'tasks.review'>): Promise<void>
  move(targets: readonly Target[], to: 'front' | 'tail'): Promise<void>
  startNow(id: string): Promise<void>
  clearFinished(): Promise<void>
  openFile(id: string): Promise<void>
  showInFolder(id: string): Promise<void>
}

export interface OperationsOptions {
  readonly bridge: Bridge
  readonly store: AppStore
  readonly list: ListWatch
  readonly messages: Messages
  readonly now: () => number
}

export function createOperations(options: OperationsOptions): Operations {
  const { bridge, store, messages } = options

  /** Tells what was refused; answers the ids that were done. */
  const settle = (answer: Answer<OperationResult>): string[] => {
    if (!answer.ok) {
      messages.refused(answer.error)
      return []
    }
    const refused = answer.value.results.flatMap((result) =>
      result.kind === 'refused' ? [result.error] : [],
    )
    const [first] = refused
    if (first !== undefined) {
      const message = { key: 'toast.someRefused', values: { count: refused.length } } as const
      messages.toast({ tone: 'failed', message, error: first })
    }
    return answer.value.results.flatMap((result) => (result.kind === 'done' ? [result.id] : []))
  }
  const simple = async (asked: Promise<Answer<unknown>>): Promise<void> => {
    const answer = await asked
    if (!answer.ok) messages.refused(answer.error)
  }
  const idsOf = async (targets: readonly Target[]): Promise<string[]> => {
    const ids = targets.flatMap((target) => ('ids' in target ? target.ids : []))
    return targets.some((target) => 'query' in target) ? ((await options.list.wholeOrder()) ?? []) : ids
  }

  const operations: Operations = {
    run: async (name, targets) => {
      for (const target of targets) {
        const done = settle(await bridge.call(name, target))
        if (done.length > 0)
          messages.announce({ key: doneMessages[name], values: { count: done.length } }, null)
      }
    },
    add: (input) => bridge.call('tasks.add', input),
    remove: async (targets, deleteFiles) => {
      const done: string[] = []
      for (const target of targets) {
        done.push(...settle(await bridge.call('tasks.delete', { target, deleteFiles, undoable: true })))
      }
      if (done.length === 0) return
      store.setState((state) => ({ cursor: selectNone(state.cursor) }))
      const key = deleteFiles ? 'toast.removedWithFiles' : 'toast.removed'
      messages.toast({
        tone: 'plain',
        message: { key, values: { count: done.length } },
        error: null,
        undo: { ids: done, until: options.now() + undoTimeMs },
      })
    },
    undo: async (toastId) => {
      const toast = store.getState().toasts.find((candidate) => candidate.id === toastId)
      if (toast?.undo === null || toast === undefined) return
      messages.dismiss(toastId)
      const done: string[] = []
      for (const ids of inParts(toast.undo.ids)) {
        done.push(...settle(await bridge.call('tasks.undoDelete', { ids })))
      }
      if (done.length > 0) messages.announce({ key: 'done.restored', values: { count: done.length } }, null)
    },
    edit: (input) => bridge.call('tasks.edit', input),
    select: async (id, selected) => void settle(await bridge.call('tasks.select', { id, selected })),
    review: async (input) => void settle(await bridge.call('tasks.review', input)),
    move: async (targets, to) => {
      const ids = (await idsOf(targets)).filter((id) => {
        const row = store.getState().list.rows.get(id)
        return row === undefined || row.state === 'WAITING'
      })
      const parts = inParts(ids)
      // each part goes before those that were moved to the front earlier
      if (to === 'front') parts.reverse()
      for (const part of parts) {
        settle(await bridge.call('tasks.move', { ids: part, before: to === 'front' ? 'front' : null }))
      }
    },
    startNow: async (id) => void settle(await bridge.call('tasks.startNow', { id })),
    clearFinished: async () => {
      const answer = await bridge.call('tasks.clearFinished', {})
      if (!answer.ok) {
        messages.refused(answer.error)
        return
      }
      const message = { key: 'toast.cleared', values: { count: answer.value.removed } } as const
      messages.toast({ tone: 'plain', message, error: null })
    },
    openFile: (id) => simple(bridge.call('desktop.openFile', { id })),
    showInFolder: (id) => simple(bridge.call('desktop.showInFolder', { id })),
  }
  return operations
}

const doneMessages: Readonly<Record<TargetCommand, MessageKey>> = {
  'tasks.pause': 'done.paused',
  'tasks.restart': 'done.restarted',
  'tasks.cancel': 'done.cancelled',
  'tasks.redownload': 'done.redownloaded',
  'tasks.retrySkipped': 'done.restarted',
  'tasks.retryAsNew': 'done.restarted',
}
