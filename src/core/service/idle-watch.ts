/**
 * Whether anything is still on its way: something runs, stops or waits its turn, or waits because a host said when to
 * come back. What waits for a volume, a host or the network may go on some day; the command line, which ends by this,
 * does not wait for that.
 */
import { isTerminal, taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Runs } from '../runner/runs.ts'
import type { TaskMemory } from './task-memory.ts'

export interface IdleWatchParts {
  readonly runs: Runs
  readonly memory: TaskMemory
  /** a waiting task that a condition holds back: a full volume, a dead host, no network */
  isHeldBack(task: Task): boolean
}

/** A time that the host named is waited out; a budget that is used up is not. */
function hasATime(task: Task): boolean {
  return task.pause?.kind === 'network' && task.pause.resumeTo === 'head'
}

/** Nothing runs, stops or waits, and nothing that is paused has a time at which it goes on. */
export function isAllFinished(runs: Runs, memory: TaskMemory): boolean {
  if (runs.size > 0 || memory.queue.size > 0) return false
  return ![...memory.liveTasks()].some(
    (task) => taskState(task) === 'PAUSED' && (hasATime(task) || task.pause?.kind === 'schedule'),
  )
}

export class IdleWatch {
  readonly #parts: IdleWatchParts
  readonly #waiting: (() => void)[] = []

  constructor(parts: IdleWatchParts) {
    this.#parts = parts
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.check()
    })
  }

  check(): void {
    if (this.#waiting.length === 0 || !this.#isIdle()) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  #isIdle(): boolean {
    const { runs, memory } = this.#parts
    return runs.size === 0 && [...memory.liveTasks()].every((task) => this.#rests(task))
  }

  #rests(task: Task): boolean {
    const state = taskState(task)
    if (isTerminal(state)) return task.request === null || task.request.kind === 'delete'
    if (state === 'WAITING') return this.#parts.isHeldBack(task)
    return state === 'PAUSED' && !hasATime(task)
  }
}
