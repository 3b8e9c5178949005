/**
 * A live attempt as the host sees it: the lease of its worker, the clocks of its supervision and what was asked
 * of it. Held in memory only; everything that must survive is in the task.
 */
import type { WorkerEnd, WorkerLease } from '../ports.ts'
import type { StepLimits } from '../../shared/worker-protocol.ts'
import { Figures } from './figures.ts'

/** from being asked to stop to being killed */
export const killGraceMs = 5000
/** from being let go to being killed */
export const finishGraceMs = 10_000

/** Why it was ended from our side without a request; `stopped`: for trouble that is not its own. */
export type Fault = 'stalled' | 'silent' | 'crashed' | 'stopped'

export type RunPhase =
  /** a worker is being found; nothing is committed */
  | 'starting'
  /** the attempt is committed */
  | 'running'
  /** all steps have ended; the worker was let go and its end is awaited */
  | 'finishing'

export class Run {
  readonly taskId: string
  readonly attemptId: string
  readonly figures = new Figures()
  phase: RunPhase = 'starting'
  token = 0
  lease: WorkerLease | null = null
  /** the end of the process or lease, once it was told */
  end: WorkerEnd | null = null
  lastSeq = 0
  /** monotonic ms of the last message */
  heardAt = 0
  /** monotonic ms of the last progress */
  progressedAt = 0
  /** monotonic ms after which a worker that was asked to stop, or let go, is killed; null: nothing is due */
  killAt: number | null = null
  /** steps that were told to stop and have not ended */
  readonly stopping = new Set<string>()
  fault: Fault | null = null
  /** given up before it began: the limit was lowered or the task was asked for something else */
  abandoned = false
  /** chosen as a victim; the request is about to be committed */
  preempting = false
  limits: StepLimits | null = null
  /** no attempt wrote for the task before */
  isFirst = false
  /** its file came with the answer, and has its name: nothing else of it is on the disk */
  leavesNothing = false
  /** bytes per second when limits were last shared out */
  measuredSpeed = 0

  constructor(taskId: string, attemptId: string, monotonicMs: number) {
    this.taskId = taskId
    this.attemptId = attemptId
    this.heardAt = monotonicMs
    this.progressedAt = monotonicMs
  }

  /** Whether a message belongs to this attempt and is newer than the last one. */
  accepts(message: { attemptId: string; token: number; seq: number }): boolean {
    return (
      this.phase !== 'starting' &&
      this.end === null &&
      message.attemptId === this.attemptId &&
      message.token === this.token &&
      message.seq > this.lastSeq
    )
  }

  /** Time in which the host itself did not run counts for nobody; what came after it is not moved beyond now. */
  shiftClocks(ms: number, now: number): void {
    this.heardAt = Math.min(now, this.heardAt + ms)
    this.progressedAt = Math.min(now, this.progressedAt + ms)
    if (this.killAt !== null) this.killAt = Math.min(now + finishGraceMs, this.killAt + ms)
  }
}
