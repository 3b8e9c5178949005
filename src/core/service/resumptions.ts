/** Pauses that end by themselves: their time has come, their host answers, their volume is well. */
import { taskState } from '../../shared/task/derive.ts'
import type { ErrorRecord } from '../../shared/errors.ts'
import type { Pause, Task } from '../../shared/task/model.ts'
import { hostAddress } from '../scheduling/host-address.ts'
import { releaseHeld } from '../transition/held.ts'
import { storageGivesUpAfterMs, storagePause } from '../transition/pause-policy.ts'
import { settle } from '../transition/settle.ts'
import { pushState } from '../transition/steps.ts'
import type { Transition, TransitionContext } from '../transition/transition.ts'
import type { Clock } from '../ports.ts'
import type { TaskLines } from './task-lines.ts'
import type { TaskMemory } from './task-memory.ts'
import type { TaskWriter } from './task-writer.ts'

const retryMs = 5000

export interface ResumptionParts {
  readonly clock: Clock
  readonly lines: TaskLines
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  context(): TransitionContext
  onFault(taskId: string, error: unknown): void
}

type PauseOf<K extends Pause['kind']> = Extract<Pause, { kind: K }>

export class Resumptions {
  readonly #parts: ResumptionParts
  #closed = false

  constructor(parts: ResumptionParts) {
    this.#parts = parts
  }

  close(): void {
    this.#closed = true
  }

  /** The time of a network pause has come. */
  timeCame(taskId: string): void {
    void this.#change(taskId, 'network', (task, pause, ctx) =>
      resumed(task, pause.resumeTo === 'head' ? ctx.headRank() : ctx.tailRank(), ctx),
    )
  }

  /** Hosts answer again: what their silence paused returns to the head, the longest paused first. */
  async hostsAnswer(hosts: ReadonlySet<string>): Promise<void> {
    const waiting = this.#paused('network').filter((task) => hosts.has(hostAddress(task).key))
    await Promise.all(
      waiting.toReversed().map((task) =>
        this.#change(task.id, 'network', (held, pause, ctx) =>
          // A time that the host itself named is kept.
          pause.resumeTo === 'head' ? null : resumed(held, ctx.headRank(), ctx),
        ),
      ),
    )
  }

  async volumeIsWell(taskIds: readonly string[]): Promise<void> {
    await Promise.all(
      taskIds.toReversed().map((taskId) =>
        this.#change(taskId, 'storage', (task, pause, ctx) => {
          if (ctx.now - pause.firstAt < storageGivesUpAfterMs) return resumed(task, ctx.headRank(), ctx)
          const forGood: Pause = { ...pause, resumesByItself: false }
          return settle(task, { pause: forGood }, ctx)
        }),
      ),
    )
  }

  /** The allowed hours have begun, or there are none any more: the one that was started first goes first. */
  async hoursBegan(): Promise<void> {
    const paused = this.#paused('schedule').toSorted(
      (a, b) => (b.job.startedAt ?? 0) - (a.job.startedAt ?? 0),
    )
    await Promise.all(
      paused.map((task) =>
        this.#change(task.id, 'schedule', (held, _pause, ctx) => resumed(held, ctx.headRank(), ctx)),
      ),
    )
  }

  /** Tasks that resume by themselves when the volume of their folder is well again, the longest paused first. */
  pausedForStorage(isOnVolume: (folder: string) => boolean): Task[] {
    return this.#paused('storage').filter(
      (task) => task.pause?.kind === 'storage' && task.pause.resumesByItself && isOnVolume(task.pause.folder),
    )
  }

  /** The folder of a task cannot be used now that it is its turn. */
  folderIsUnusable(taskId: string, error: ErrorRecord): Promise<void> {
    return this.#inLine(taskId, async () => {
      const { memory, writer } = this.#parts
      const task = memory.live(taskId)
      if (task === undefined || taskState(task) !== 'WAITING' || task.attempt !== null) return
      if (task.request !== null) return
      const ctx = this.#parts.context()
      const pause = storagePause(task, { error, resumesByItself: true }, ctx.now)
      const since = pause.kind === 'storage' ? pause.firstAt : task.storagePausedSince
      const paused = { ...pushState(task, 'PAUSED'), storagePausedSince: since }
      await writer.write([{ before: task, transition: settle(paused, { pause }, ctx) }])
    })
  }

  #paused(kind: Pause['kind']): Task[] {
    return [...this.#parts.memory.liveTasks()]
      .filter((task) => taskState(task) === 'PAUSED' && task.request === null && task.pause?.kind === kind)
      .toSorted((a, b) => (a.pause?.at ?? 0) - (b.pause?.at ?? 0))
  }

  #change<K extends 'network' | 'storage' | 'schedule'>(
    taskId: string,
    kind: K,
    decide: (task: Task, pause: PauseOf<K>, ctx: TransitionContext) => Transition | null,
  ): Promise<void> {
    return this.#inLine(taskId, async () => {
      const { memory, writer } = this.#parts
      const task = memory.live(taskId)
      if (task === undefined || task.request !== null || taskState(task) !== 'PAUSED') return
      const { pause } = task
      if (pause?.kind !== kind) return
      // The kind was compared just now; the compiler cannot follow it through the type parameter.
      const transition = decide(task, pause as PauseOf<K>, this.#parts.context())
      if (transition !== null) await writer.write([{ before: task, transition }])
    })
  }

  /** Never rejects. A resumption that could not be committed is tried again: nobody else would. */
  async #inLine(taskId: string, work: () => Promise<void>): Promise<void> {
    const { lines, clock } = this.#parts
    try {
      await lines.run(taskId, work)
    } catch (thrown) {
      this.#parts.onFault(taskId, thrown)
      if (!this.#closed) clock.after(retryMs, () => void this.#inLine(taskId, work))
    }
  }
}

function resumed(task: Task, rank: number, ctx: TransitionContext): Transition {
  return settle(pushState(releaseHeld(task, 'network'), 'WAITING'), { rank }, ctx)
}
