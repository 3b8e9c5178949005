/**
 * Carries out attempts under supervision. Attempts are begun in here only, and with each of them the supervisor is
 * woken, so that none holds a slot unwatched. What a worker says may end its attempt, what the clocks find may kill
 * it, and what a host refuses changes the share of every other one: those ties are made here and seen by nobody else.
 */
import type { Settings } from '../../shared/settings.ts'
import type { NetworkRules } from '../../shared/worker-protocol.ts'
import type { Clock, FileSystem, Random, TaskStore, WorkerPool } from '../ports.ts'
import type { HostLimits } from '../scheduling/host-limits.ts'
import type { FileCare } from '../service/file-care.ts'
import type { TaskLines } from '../service/task-lines.ts'
import type { TaskMemory } from '../service/task-memory.ts'
import type { TaskWriter } from '../service/task-writer.ts'
import { Supervisor } from '../supervision/supervisor.ts'
import { stepsIn } from '../transition/steps.ts'
import type { TransitionContext } from '../transition/transition.ts'
import { AttemptEnds } from './attempt-ends.ts'
import { LimitKeeper } from './limit-keeper.ts'
import { MessageDesk } from './message-desk.ts'
import { OrderSource } from './order-source.ts'
import { Runner } from './runner.ts'
import type { Runs } from './runs.ts'

export interface SupervisedRunnerParts {
  readonly clock: Clock
  readonly random: Random
  readonly store: TaskStore
  readonly files: FileSystem
  readonly workers: WorkerPool
  readonly lines: TaskLines
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  readonly care: FileCare
  readonly runs: Runs
  readonly hostLimits: HostLimits
  settings(): Settings
  network(): NetworkRules
  ffmpegPath(): string | null
  /** bytes per second over all tasks now; 0 is no limit */
  speedLimit(): number
  context(): TransitionContext
  /** a fault of our own: reported, never swallowed */
  onFault(taskId: string | null, error: unknown): void
  /** figures changed: rows may be sent */
  onFigures(taskId: string): void
  /** an attempt could not be begun; the scheduler waits before it tries again */
  onStartFailed(): void
  /** a slot has become free */
  onFree(): void
  /** a host bears more connections than before: who waits for one may start */
  onHostLimitsRisen(): void
}

export class SupervisedRunner {
  readonly #runner: Runner
  readonly #limits: LimitKeeper
  readonly #supervisor: Supervisor

  constructor(parts: SupervisedRunnerParts) {
    const { memory, hostLimits } = parts
    const orders = new OrderSource(parts)
    const ends = new AttemptEnds(parts)
    const desk = new MessageDesk({
      ...parts,
      ends,
      onHostLimit: (host, connections) => {
        void hostLimits.learn(host, connections).then(() => this.shareLimits())
      },
      finish: (run) => this.#runner.finish(run),
      kill: (run, fault) => this.#runner.kill(run, fault),
    })
    this.#runner = new Runner({ ...parts, orders, ends, desk })
    this.#limits = new LimitKeeper({ ...parts, orders })
    this.#supervisor = new Supervisor({
      ...parts,
      stallLimitMs: () => parts.settings().stallTimeoutSeconds * 1000,
      runningSteps: (taskId) =>
        stepsIn(memory.live(taskId) ?? { steps: [] }, 'RUNNING').map((step) => step.id),
      stop: (run, stepIds) => this.#runner.stopSteps(run, stepIds, 'checkpoint'),
      kill: (run, fault) => this.#runner.kill(run, fault),
      onPoll: () => {
        this.shareLimits()
        if (hostLimits.haveRisen()) parts.onHostLimitsRisen()
      },
    })
  }

  /** Takes a slot at once; the attempt begins when a worker is there and the task still wants it. */
  start(taskId: string): void {
    this.#runner.start(taskId)
    this.#supervisor.wake()
  }

  /** Shares connections and bandwidth out again; whatever may change them calls it. */
  shareLimits(): void {
    this.#limits.share()
  }

  /** Ends the supervision when the host stops: the attempts have ended, or the pool is about to be closed. */
  close(): void {
    this.#supervisor.close()
  }
}
