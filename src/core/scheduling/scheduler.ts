/**
 * Keeps as many tasks running as the setting says: dispatches the first eligible one, and takes slots back when
 * there are too many. It decides from committed states only and is asked again after every change.
 */
import { taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Clock } from '../ports.ts'
import type { Run } from '../runner/run.ts'
import type { Runs } from '../runner/runs.ts'
import type { TaskMemory } from '../service/task-memory.ts'
import { victims } from './victims.ts'

const firstBackOffMs = 1000
const longestBackOffMs = 30_000

export interface SchedulerParts {
  readonly clock: Clock
  readonly runs: Runs
  readonly memory: TaskMemory
  limit(): number
  /** `blocked`: a condition holds it back; `looking`: not known yet, the scheduler is told when it is */
  admit(task: Task): 'admitted' | 'blocked' | 'looking'
  start(taskId: string): void
  /** commits a requeue with this reserved rank, if the task still is a victim; whether it did */
  preempt(taskId: string, rank: number): Promise<boolean>
}

export class Scheduler {
  readonly #parts: SchedulerParts
  #scheduled = false
  #stopped = true
  #failures = 0
  #cancelBackOff: (() => void) | null = null

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  open(): void {
    this.#stopped = false
    this.poke()
  }

  close(): void {
    this.#stopped = true
    this.#cancelBackOff?.()
    this.#cancelBackOff = null
  }

  /** Something changed; looked at once the present work is done. */
  poke(): void {
    if (this.#scheduled || this.#stopped) return
    this.#scheduled = true
    void Promise.resolve().then(() => {
      this.#scheduled = false
      if (!this.#stopped) this.#schedule()
    })
  }

  /** A worker could not be had or the attempt not be committed: waits before the next try, longer each time. */
  backOff(): void {
    if (this.#cancelBackOff !== null || this.#stopped) return
    const wait = Math.min(longestBackOffMs, firstBackOffMs * 2 ** this.#failures)
    this.#failures++
    this.#cancelBackOff = this.#parts.clock.after(wait, () => {
      this.#cancelBackOff = null
      this.poke()
    })
  }

  /** An attempt has begun: whatever was wrong is over. */
  began(): void {
    this.#failures = 0
  }

  /** Running and being stopped, without those started over the limit. */
  #counted(): number {
    return this.#parts.runs.all().filter((run) => !this.#isOverLimit(run)).length
  }

  #isOverLimit(run: Run): boolean {
    return this.#parts.memory.live(run.taskId)?.overLimit ?? false
  }

  #schedule(): void {
    this.#takeBack()
    if (this.#cancelBackOff !== null) return
    const { memory } = this.#parts
    for (const id of memory.startingNow) this.#tryStart(id)
    let free = this.#parts.limit() - this.#counted()
    // A long queue is not looked at while nothing of it may start.
    if (free <= 0) return
    for (const id of memory.queue.ids()) {
      const outcome = memory.startingNow.has(id) ? 'blocked' : this.#tryStart(id)
      // The first eligible one goes first: nobody overtakes it while its volume is being looked at.
      if (outcome === 'looking') return
      if (outcome === 'started' && --free === 0) return
    }
  }

  #tryStart(id: string): 'started' | 'blocked' | 'looking' {
    const { memory, runs } = this.#parts
    const task = memory.live(id)
    if (task === undefined || runs.has(id) || !canStart(task)) return 'blocked'
    const admission = this.#parts.admit(task)
    if (admission !== 'admitted') return admission
    this.#parts.start(id)
    return 'started'
  }

  #takeBack(): void {
    const { runs, memory } = this.#parts
    const limit = this.#parts.limit()
    let excess = this.#counted() - limit
    if (excess <= 0) return
    // Attempts that have not begun lose nothing: the latest of them are given up first.
    for (const run of runs.all().toReversed()) {
      if (excess <= 0) break
      if (run.phase !== 'starting' || run.abandoned || this.#isOverLimit(run)) continue
      run.abandoned = true
      excess--
    }
    const running = runs.all().map((run) => {
      const task = memory.live(run.taskId)
      return {
        id: run.taskId,
        token: run.token,
        preemptible: task !== undefined && isPreemptible(task),
        stopping: isStopping(run, task),
        overLimit: task?.overLimit ?? false,
      }
    })
    for (const id of victims(running, limit)) {
      const run = runs.of(id)
      if (run === undefined) continue
      run.preempting = true
      // Reserved now, in the order of the tokens: however late each one ends, the old order comes back.
      void this.#parts.preempt(id, memory.ranks.head()).then((isAsked) => {
        run.preempting = false
        // who could not be asked is asked again, but not in the same breath: that would be for ever
        if (isAsked) this.poke()
        else this.#parts.clock.after(firstBackOffMs, () => this.poke())
      })
    }
  }
}

function canStart(task: Task): boolean {
  return taskState(task) === 'WAITING' && task.request === null && task.attempt === null
}

/** One whose selection is being changed is asked for nothing else until that is done. */
function isPreemptible(task: Task): boolean {
  return task.request === null && task.steps.every((step) => step.state !== 'RUNNING' || step.preemptible)
}

/** Its slot becomes free without further doing. */
function isStopping(run: Run, task: Task | undefined): boolean {
  return (
    run.abandoned ||
    run.preempting ||
    run.phase !== 'running' ||
    run.end !== null ||
    task === undefined ||
    (task.request !== null && task.request.kind !== 'select')
  )
}
