/**
 * What a live attempt reports between commits: figures per step, speed as an exponentially weighted mean over
 * about three seconds, and the highest progress shown so far. Times are monotonic milliseconds.
 */
import type { ActiveRange, WorkerMessage } from '../../shared/worker-protocol.ts'

type StepProgress = Extract<WorkerMessage, { kind: 'progress' }>['steps'][number]

export type Activity = StepProgress['activity']

export interface StepFigures {
  readonly doneBytes: number
  readonly size: number | null
  readonly fraction: number
  readonly activity: Activity
  readonly ranges: readonly ActiveRange[]
}

export const speedWindowMs = 3000

export class Figures {
  readonly #steps = new Map<string, StepFigures>()
  #bytesPerSecond = 0
  #measuredAt: number | null = null
  #arrived = 0
  /** progress never falls below this within the attempt */
  shownProgress = 0

  of(stepId: string): StepFigures | undefined {
    return this.#steps.get(stepId)
  }

  /** A step ended or begins again: its figures are those that are stored. */
  forget(stepId: string): void {
    this.#steps.delete(stepId)
  }

  /** A step begins with what is durable; only bytes beyond that count as speed. */
  begin(stepId: string, stored: { doneBytes: number; size: number | null; fraction: number }): void {
    this.#steps.set(stepId, { ...stored, activity: 'connecting', ranges: [] })
  }

  /**
   * Takes a report over; returns whether it shows progress: new bytes, packets or segments, or a part of the
   * work that moves without them (connecting, verifying, flushing).
   */
  report(progress: StepProgress, monotonicMs: number): boolean {
    const before = this.#steps.get(progress.stepId)
    const bytes = Math.max(0, progress.doneBytes - (before?.doneBytes ?? progress.doneBytes))
    this.#steps.set(progress.stepId, {
      doneBytes: progress.doneBytes,
      size: progress.size,
      fraction: progress.fraction,
      activity: progress.activity,
      ranges: progress.ranges ?? [],
    })
    this.#arrived += bytes
    this.#measure(monotonicMs)
    return (
      bytes > 0 ||
      before === undefined ||
      progress.fraction > before.fraction ||
      progress.activity !== before.activity ||
      progress.activity === 'connecting' ||
      progress.activity === 'verifying' ||
      progress.activity === 'flushing'
    )
  }

  /** Smooths what arrived since the last measure; several reports within a moment are taken together. */
  #measure(monotonicMs: number): void {
    if (this.#measuredAt === null) {
      this.#measuredAt = monotonicMs
      this.#arrived = 0
      return
    }
    const elapsed = monotonicMs - this.#measuredAt
    if (elapsed < 50) return
    const rate = (this.#arrived * 1000) / elapsed
    const weight = 1 - Math.exp(-elapsed / speedWindowMs)
    this.#bytesPerSecond += weight * (rate - this.#bytesPerSecond)
    this.#measuredAt = monotonicMs
    this.#arrived = 0
  }

  /** Bytes per second; falls to zero within a few seconds when nothing flows. */
  speed(monotonicMs: number): number {
    if (this.#measuredAt === null) return 0
    const silentMs = monotonicMs - this.#measuredAt
    if (silentMs >= speedWindowMs) return 0
    return Math.max(0, Math.round(this.#bytesPerSecond))
  }
}
