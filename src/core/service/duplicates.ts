/** Tasks that fetch the same link into the same folder as a new one would, and new ones that share their file. */
import type { ErrorRecord } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import { taskState } from '../../shared/task/derive.ts'
import type { Task, TaskParameters } from '../../shared/task/model.ts'
import { publishedOutput } from '../../shared/task/outputs.ts'
import { sourceKey } from '../../shared/task/source-key.ts'
import type { FileSystem, TaskStore } from '../ports.ts'
import { settle } from '../transition/settle.ts'
import type { Transition, TransitionContext } from '../transition/transition.ts'
import type { TaskMemory } from './task-memory.ts'

export interface Duplicate {
  readonly task: Task
  /** it is complete and its files are as we wrote them */
  readonly isWhole: boolean
}

export class Duplicates {
  readonly #store: Pick<TaskStore, 'tasksFrom'>
  readonly #files: Pick<FileSystem, 'describe'>
  readonly #memory: TaskMemory

  constructor(parts: { store: Pick<TaskStore, 'tasksFrom'>; files: FileSystem; memory: TaskMemory }) {
    this.#store = parts.store
    this.#files = parts.files
    this.#memory = parts.memory
  }

  /** A whole one before one that is on its way; null when there is none. One whose files are gone is none. */
  async find(parameters: TaskParameters): Promise<Duplicate | null> {
    const ids = await this.#store.tasksFrom(sourceKey(parameters))
    let onItsWay: Task | null = null
    for (const task of await this.#memory.loadMany(ids)) {
      const state = taskState(task)
      if (state === 'COMPLETED' && (await this.#isWhole(task))) return { task, isWhole: true }
      if (state !== 'COMPLETED' && state !== 'CANCELLED') onItsWay ??= task
    }
    return onItsWay === null ? null : { task: onItsWay, isWhole: false }
  }

  async #isWhole(task: Task): Promise<boolean> {
    for (const step of task.steps) {
      const output = publishedOutput(task, step)
      if (output === null) continue
      const found = await this.#files.describe(output.path)
      if (found?.size !== output.size || found.identity !== output.identity) return false
    }
    return true
  }
}

export function duplicateError({ task, isWhole }: Duplicate): ErrorRecord {
  return isWhole
    ? new SluiceError('CONFLICT', 'This was downloaded before, and the file is there', {
        hint: 'Use the file that is there, or download it again under a new name.',
        details: { duplicateOf: task.id, isWhole },
      }).toRecord()
    : new SluiceError('CONFLICT', 'This link is in the list already', {
        hint: 'Look at the task that is there, or download it again under a new name.',
        details: { duplicateOf: task.id, isWhole },
      }).toRecord()
}

/** A new task, complete at once, that holds the files of another one beside it. */
export function sharingTask(task: Task, parameters: TaskParameters, ctx: TransitionContext): Transition {
  const id = ctx.newId()
  const fileIds = new Map(task.files.map((file) => [file.id, ctx.newId()]))
  const idOf = (fileId: string): string => fileIds.get(fileId) ?? fileId
  return settle(
    {
      ...task,
      id,
      createdAt: ctx.now,
      parameters,
      files: task.files.map((file) => ({ ...file, id: idOf(file.id) })),
      steps: task.steps.map((step) => ({
        ...step,
        id: ctx.newId(),
        fileId: step.fileId === null ? null : idOf(step.fileId),
      })),
      job: { id: ctx.newId(), taskId: id, number: 1, createdAt: ctx.now, startedAt: null, end: null },
      retryOf: null,
      finishedAt: null,
    },
    {},
    ctx,
  )
}
