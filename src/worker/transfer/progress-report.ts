/**
 * What is told of a download while it runs. The bytes that are done never become fewer by themselves: a tail that two
 * connections fetch counts twice for a moment, so the highest figure stands until data is dropped.
 */
import type { PartialFile } from '../files/partial-file.ts'
import type { StepProgress } from '../step-executor.ts'
import { totalBytes } from './range-set.ts'
import type { RangeTransfer } from './range-transfer.ts'
import { SpeedMeter } from './speed-meter.ts'

export interface ProgressFacts {
  readonly activity: StepProgress['activity']
  /** of the whole; null while it is not known */
  readonly size: number | null
  /** null before it is there */
  readonly file: Pick<PartialFile, 'written' | 'inFlight'> | null
  /** null while none runs */
  readonly transfer: Pick<RangeTransfer, 'buffered' | 'ranges'> | null
}

export class ProgressReport {
  readonly #tell: (progress: StepProgress) => void
  readonly #speed = new SpeedMeter()
  /** bytes last told as done */
  #shown = 0

  constructor(tell: (progress: StepProgress) => void) {
    this.#tell = tell
  }

  /** A transfer begins whose first bytes were asked for at that time (monotonic ms). */
  begin(askedAtMs: number): void {
    this.#speed.restart(askedAtMs)
  }

  /** `received`: bytes since the transfer began. */
  measure(nowMs: number, received: number): void {
    this.#speed.update(nowMs, received)
  }

  /** What is held does not count any more. */
  drop(): void {
    this.#shown = 0
  }

  report({ activity, size, file, transfer }: ProgressFacts): void {
    const inFile = file === null ? 0 : totalBytes(file.written) + file.inFlight
    const arrived = inFile + (transfer?.buffered ?? 0)
    this.#shown = Math.max(this.#shown, size === null ? arrived : Math.min(arrived, size))
    const doneBytes = this.#shown
    this.#tell({
      doneBytes,
      size,
      fraction: size === null || size === 0 ? 0 : doneBytes / size,
      bytesPerSecond: activity === 'transferring' ? this.#speed.bytesPerSecond : 0,
      activity,
      ...(transfer === null ? {} : { ranges: transfer.ranges() }),
    })
  }
}
