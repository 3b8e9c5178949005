/** The commands of the contract that concern tasks, bound to the operations of the domain. */
import type { CommandInput, CommandResult, OperationResult } from '../../shared/contract/commands.ts'
import { SluiceError } from '../../shared/errors.ts'
import { isTerminal, taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Clock, Random, TaskStore } from '../ports.ts'
import {
  cancel,
  pause,
  redownload,
  remove,
  restart,
  retrySkipped,
  select,
  startNow,
  undoRemove,
} from '../transition/operate.ts'
import { review } from '../transition/review.ts'
import type { TransitionContext } from '../transition/transition.ts'
import type { AddParts } from './add-tasks.ts'
import { addTasks } from './add-tasks.ts'
import { editTask, previewEdit } from './edit-task.ts'
import type { FileCare } from './file-care.ts'
import type { FollowUp } from './follow-up.ts'
import { moveTasks } from './move-tasks.ts'
import { parametersFor } from './new-task.ts'
import type { Operations } from './operations.ts'
import { retryAsNew, retryEndedJobs } from './retry-as-new.ts'
import type { RowSource } from './row-source.ts'
import type { TaskLines } from './task-lines.ts'
import type { TaskMemory } from './task-memory.ts'
import type { TaskWriter } from './task-writer.ts'

export const undoMs = 8000

export interface TaskCommandParts extends AddParts {
  readonly clock: Clock
  readonly random: Random
  readonly store: TaskStore
  readonly memory: TaskMemory
  readonly lines: TaskLines
  readonly writer: TaskWriter
  readonly operations: Operations
  readonly care: FileCare
  readonly followUp: FollowUp
  readonly rows: RowSource
  context(): TransitionContext
}

type Target = CommandInput<'tasks.pause'>

/** Told how to cancel a look-up, by its id; returns what is to be called when it has ended. */
type Note = (id: string, cancel: () => void) => () => void

export class TaskCommands {
  readonly #parts: TaskCommandParts

  constructor(parts: TaskCommandParts) {
    this.#parts = parts
  }

  add(input: CommandInput<'tasks.add'>): Promise<CommandResult<'tasks.add'>> {
    return addTasks(input, this.#parts)
  }

  async details(input: CommandInput<'tasks.details'>): Promise<CommandResult<'tasks.details'>> {
    const task = await this.#parts.memory.load(input.id)
    if (task === undefined || task.request?.kind === 'delete') {
      throw new SluiceError('JOB_NOT_FOUND', 'There is no such task')
    }
    return this.#parts.rows.details(task, await this.#parts.store.attempts(task.id))
  }

  async rows(input: CommandInput<'tasks.rows'>): Promise<CommandResult<'tasks.rows'>> {
    const tasks = await this.#parts.memory.loadMany(input.ids)
    return {
      rows: tasks.filter((task) => task.request?.kind !== 'delete').map((task) => this.#parts.rows.row(task)),
    }
  }

  async pause(target: Target): Promise<OperationResult> {
    const { operations } = this.#parts
    return operations.each(await operations.idsOf(target), pause)
  }

  /** By ids: any task that may be restarted. By query: those that wait for nothing but the user's word. */
  async restart(target: Target): Promise<OperationResult> {
    const { operations } = this.#parts
    const ids = await operations.idsOf(target)
    const whole = 'query' in target
    return operations.each(ids, async (task, ctx) => {
      if (whole && !isRestartedWithAll(task)) return { kind: 'unchanged' }
      return restart(task, await this.#lost(task), ctx)
    })
  }

  async #lost(task: Task): Promise<ReadonlySet<string>> {
    const state = taskState(task)
    return state === 'PAUSED' || state === 'FAILED' ? this.#parts.care.lostResults(task) : new Set()
  }

  async cancel(target: Target): Promise<OperationResult> {
    const { operations } = this.#parts
    return operations.each(await operations.idsOf(target), cancel)
  }

  async delete(input: CommandInput<'tasks.delete'>): Promise<OperationResult> {
    const { operations } = this.#parts
    const ids = await operations.idsOf(input.target)
    return this.#remove(ids, input.deleteFiles, input.undoable)
  }

  async #remove(ids: readonly string[], deleteFiles: boolean, undoable: boolean): Promise<OperationResult> {
    const { clock, operations, memory, followUp } = this.#parts
    const purgeAt = clock.now() + (undoable ? undoMs : 0)
    const answer = await operations.each(
      ids,
      (task, ctx) => remove(task, { deleteFiles, purgeAt }, ctx),
      'hidden too',
    )
    if (undoable) return answer
    // Where nothing runs the answer means that it is gone.
    for (const result of answer.results) {
      const resting = memory.live(result.id)?.attempt === null
      if (result.kind === 'done' && resting) await followUp.purge(result.id)
    }
    return answer
  }

  async undoDelete(target: Target): Promise<OperationResult> {
    const { operations } = this.#parts
    return operations.each(await operations.idsOf(target), undoRemove, 'hidden too')
  }

  async redownload(target: Target): Promise<OperationResult> {
    const { operations, memory, followUp } = this.#parts
    const answer = await operations.each(await operations.idsOf(target), redownload)
    const results = []
    for (const result of answer.results) {
      const resting = memory.live(result.id)?.attempt === null
      if (result.kind !== 'done' || !resting) results.push(result)
      else {
        await followUp.carryOut(result.id)
        results.push({ ...result, jobId: memory.live(result.id)?.job.id ?? result.jobId })
      }
    }
    return { results }
  }

  edit(input: CommandInput<'tasks.edit'>): Promise<OperationResult> {
    return editTask(input, this.#parts)
  }

  previewEdit(
    input: CommandInput<'tasks.previewEdit'>,
    note: Note,
  ): Promise<CommandResult<'tasks.previewEdit'>> {
    const id = input.lookupId ?? this.#parts.random.id()
    return previewEdit(input, this.#parts, (cancel) => note(id, cancel))
  }

  async lookup(
    { link, lookupId, ...options }: CommandInput<'links.lookup'>,
    note: Note,
  ): Promise<CommandResult<'links.lookup'>> {
    const { lookups, gates, random } = this.#parts
    const settings = this.#parts.settings()
    const parameters = parametersFor({ kind: 'single', url: link }, options, settings, gates)
    const lookup = lookups.begin(parameters)
    const ended = note(lookupId ?? random.id(), () => lookup.cancel())
    const plan = await lookup.plan.finally(ended)
    return {
      planId: lookups.keep(plan, parameters),
      title: plan.title,
      service: plan.service,
      files: plan.files.map(({ name, size }) => ({ name, size })),
    }
  }

  select(input: CommandInput<'tasks.select'>): Promise<OperationResult> {
    return this.#parts.operations.each([input.id], (task, ctx) => select(task, input.selected, ctx))
  }

  review(input: CommandInput<'tasks.review'>): Promise<OperationResult> {
    return this.#parts.operations.each([input.id], (task, ctx) => review(task, input.answer, ctx))
  }

  async retrySkipped(target: Target): Promise<OperationResult> {
    const { operations } = this.#parts
    return operations.each(await operations.idsOf(target), retrySkipped)
  }

  async retryAsNew(target: CommandInput<'tasks.retryAsNew'>): Promise<OperationResult> {
    if ('endedJobs' in target) return retryEndedJobs(target.endedJobs, this.#parts)
    return retryAsNew(await this.#parts.operations.idsOf(target), this.#parts)
  }

  move(input: CommandInput<'tasks.move'>): Promise<OperationResult> {
    return moveTasks(input.ids, input.before, this.#parts)
  }

  startNow(input: CommandInput<'tasks.startNow'>): Promise<OperationResult> {
    return this.#parts.operations.each([input.id], startNow)
  }

  async clearFinished(): Promise<CommandResult<'tasks.clearFinished'>> {
    const ids = await this.#parts.operations.idsOf({ query: { filter: 'all', search: '' } })
    const finished: string[] = []
    for (const task of await this.#parts.memory.loadMany(ids)) {
      if (isTerminal(taskState(task)) && task.request === null) finished.push(task.id)
    }
    const answer = await this.#remove(finished, false, false)
    return { removed: answer.results.filter((result) => result.kind === 'done').length }
  }

  /** Takes tasks that ended before this time out of the list; their files and their history stay. */
  async clearEndedBefore(time: number): Promise<void> {
    await this.#remove(await this.#parts.store.terminalBefore(time), false, false)
  }
}

/** "Restart all" leaves alone what needs a decision or has failed for good. */
function isRestartedWithAll(task: Task): boolean {
  if (taskState(task) !== 'PAUSED' || task.pause === null) return false
  switch (task.pause.kind) {
    case 'user':
    case 'network':
    case 'storage':
    case 'crash':
    case 'schedule':
      return true
    case 'review':
    case 'source':
      return false
  }
}
