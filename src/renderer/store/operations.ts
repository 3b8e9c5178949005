/**
 * What the user can do to tasks. Each asks the host and waits for its events: nothing is shown as done before the
 * host says so. Refusals of single tasks become one toast.
 */
import type { Answer, Bridge } from '../../shared/contract/bridge.ts'
import type { CommandInput, CommandResult, OperationResult, Target } from '../../shared/contract/commands.ts'
import type { MessageKey } from '../i18n/catalogue.ts'
import type { Toast } from './app-state.ts'
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

export interface OperationsOptions {
  readonly bridge: Bridge
  readonly store: AppStore
  readonly list: ListWatch
  readonly messages: Messages
  readonly now: () => number
}

/** Tells what was refused; answers the ids that were done. */
function settle(messages: Messages, answer: Answer<OperationResult>): string[] {
  if (!answer.ok) {
    messages.refused(answer.error)
    return []
  }
  const refused = answer.value.results.flatMap((result) => (result.kind === 'refused' ? [result.error] : []))
  const [first] = refused
  if (first !== undefined) {
    const message = { key: 'toast.someRefused', values: { count: refused.length } } as const
    messages.toast({ tone: 'failed', message, error: first })
  }
  return answer.value.results.flatMap((result) => (result.kind === 'done' ? [result.id] : []))
}

export class Operations {
  readonly #bridge: Bridge
  readonly #store: AppStore
  readonly #list: ListWatch
  readonly #messages: Messages
  readonly #now: () => number
  /** ends with the last removal that was asked for; null when none is under way */
  #removing: Promise<void> | null = null

  constructor({ bridge, store, list, messages, now }: OperationsOptions) {
    this.#bridge = bridge
    this.#store = store
    this.#list = list
    this.#messages = messages
    this.#now = now
  }

  async run(name: TargetCommand, targets: readonly Target[]): Promise<void> {
    for (const target of targets) {
      this.#announce(doneMessages[name], settle(this.#messages, await this.#bridge.call(name, target)))
    }
  }

  /** What is refused is told by the dialog that asked. */
  add(input: CommandInput<'tasks.add'>): Promise<Answer<CommandResult<'tasks.add'>>> {
    return this.#bridge.call('tasks.add', input)
  }

  /** What is refused is told by the dialog that asked. */
  edit(input: CommandInput<'tasks.edit'>): Promise<Answer<OperationResult>> {
    return this.#bridge.call('tasks.edit', input)
  }

  /** Removes tasks; a toast offers to take it back for as long as the host waits with it. */
  remove(targets: readonly Target[], deleteFiles: boolean): Promise<void> {
    const removing = this.#remove(targets, deleteFiles).finally(() => {
      if (this.#removing === removing) this.#removing = null
    })
    this.#removing = removing
    return removing
  }

  async #remove(targets: readonly Target[], deleteFiles: boolean): Promise<void> {
    const done: string[] = []
    for (const target of targets) {
      const answer = await this.#bridge.call('tasks.delete', { target, deleteFiles, undoable: true })
      done.push(...settle(this.#messages, answer))
    }
    if (done.length === 0) return
    this.#store.setState((state) => ({ cursor: selectNone(state.cursor) }))
    const key = deleteFiles ? 'toast.removedWithFiles' : 'toast.removed'
    this.#messages.toast({
      tone: 'plain',
      message: { key, values: { count: done.length } },
      error: null,
      undo: { ids: done, until: this.#now() + undoTimeMs },
    })
  }

  /** Whether there is a removal to take back, also one that the host has not answered yet. */
  canUndo(): boolean {
    return this.#removing !== null || this.#lastUndoable() !== undefined
  }

  /**
   * Takes back the last removal. The rows are gone before the host has answered, so a quick hand asks for this before
   * the toast is there: the answer is waited for.
   */
  async undoLast(): Promise<void> {
    await this.#removing
    const toast = this.#lastUndoable()
    if (toast !== undefined) await this.undo(toast.id)
  }

  #lastUndoable(): Toast | undefined {
    return this.#store.getState().toasts.findLast((toast) => toast.undo !== null)
  }

  async undo(toastId: number): Promise<void> {
    const undo = this.#store.getState().toasts.find((toast) => toast.id === toastId)?.undo ?? null
    if (undo === null) return
    this.#messages.dismiss(toastId)
    for (const ids of inParts(undo.ids)) {
      const done = settle(this.#messages, await this.#bridge.call('tasks.undoDelete', { ids }))
      this.#announce('done.restored', done)
    }
  }

  /** Answers whether the host took it. */
  async select(id: string, selected: string[]): Promise<boolean> {
    return settle(this.#messages, await this.#bridge.call('tasks.select', { id, selected })).length > 0
  }

  async review(input: CommandInput<'tasks.review'>): Promise<void> {
    settle(this.#messages, await this.#bridge.call('tasks.review', input))
  }

  /** Moves what waits among the targets; the rest has no place in the queue. */
  async move(targets: readonly Target[], to: 'front' | 'tail'): Promise<void> {
    const { rows } = this.#store.getState().list
    const ids = (await this.#idsOf(targets)).filter((id) => (rows.get(id)?.state ?? 'WAITING') === 'WAITING')
    const parts = inParts(ids)
    // each part goes before those that were moved to the front earlier
    if (to === 'front') parts.reverse()
    const before = to === 'front' ? 'front' : null
    for (const part of parts) {
      settle(this.#messages, await this.#bridge.call('tasks.move', { ids: part, before }))
    }
  }

  async startNow(id: string): Promise<void> {
    settle(this.#messages, await this.#bridge.call('tasks.startNow', { id }))
  }

  async clearFinished(): Promise<void> {
    const answer = await this.#bridge.call('tasks.clearFinished', {})
    if (!answer.ok) {
      this.#messages.refused(answer.error)
      return
    }
    const message = { key: 'toast.cleared', values: { count: answer.value.removed } } as const
    this.#messages.toast({ tone: 'plain', message, error: null })
  }

  async openFile(id: string): Promise<void> {
    this.#tellRefusal(await this.#bridge.call('desktop.openFile', { id }))
  }

  async showInFolder(id: string): Promise<void> {
    this.#tellRefusal(await this.#bridge.call('desktop.showInFolder', { id }))
  }

  #tellRefusal(answer: Answer<unknown>): void {
    if (!answer.ok) this.#messages.refused(answer.error)
  }

  #announce(key: MessageKey, done: readonly string[]): void {
    if (done.length > 0) this.#messages.announce({ key, values: { count: done.length } }, null)
  }

  /** A query becomes the ids that it shows: to be moved, tasks must be named in their order. */
  async #idsOf(targets: readonly Target[]): Promise<string[]> {
    if (targets.some((target) => 'query' in target)) return (await this.#list.wholeOrder()) ?? []
    return targets.flatMap((target) => ('ids' in target ? target.ids : []))
  }
}

const doneMessages: Readonly<Record<TargetCommand, MessageKey>> = {
  'tasks.pause': 'done.paused',
  'tasks.restart': 'done.restarted',
  'tasks.cancel': 'done.cancelled',
  'tasks.redownload': 'done.redownloaded',
  'tasks.retrySkipped': 'done.restarted',
  'tasks.retryAsNew': 'done.restarted',
}
