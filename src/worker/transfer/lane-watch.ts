/**
 * When a connection is given up though nothing broke: its host is silent, or it is far behind the others. Time in which
 * this process did not run (suspended, starved) is no silence of a host. Pure but for its memory; time comes in.
 */
import type { Lane } from './lane.ts'
import { isFarBehind, typicalSpeed } from './splitting.ts'

/** Until then a lane may be slow. */
const slowAfterMs = 1_500
/** Between two replacements: one shows whether fresh connections are better. */
const replacePauseMs = 250
/** With fewer that flow nothing can be said of one of them. */
const fewestToCompare = 3
/** So many ticks late, the process did not run. */
const sleptTicks = 8

type Measured = Pick<Lane, 'bytesPerSecond' | 'lastByteAt' | 'measure'>
type Judged = Pick<
  Lane,
  'next' | 'end' | 'bytesPerSecond' | 'lastByteAt' | 'openedAt' | 'flows' | 'isDuplicate' | 'resource'
>

export class LaneWatch {
  readonly #tickMs: number
  readonly #stallMs: number
  #measuredAtMs: number
  #replacedAtMs = 0
  /** lanes that flowed when they were measured, and their mean speed */
  #flowing = 0
  #typical = 1

  /** `tickMs`: time between two measurements; `stallMs`: silence after which a lane is given up. */
  constructor(nowMs: number, { tickMs, stallMs }: { tickMs: number; stallMs: number }) {
    this.#measuredAtMs = nowMs
    this.#tickMs = tickMs
    this.#stallMs = stallMs
  }

  /** Measures the lanes; call at regular times, before `judge`. */
  measure(lanes: Iterable<Measured>, nowMs: number): void {
    const elapsedMs = nowMs - this.#measuredAtMs
    this.#measuredAtMs = nowMs
    const sleptMs = elapsedMs > sleptTicks * this.#tickMs ? elapsedMs : 0
    const flowing: Measured[] = []
    for (const lane of lanes) {
      lane.lastByteAt += sleptMs
      lane.measure(nowMs, elapsedMs)
      if (lane.bytesPerSecond > 0) flowing.push(lane)
    }
    this.#flowing = flowing.length
    this.#typical = typicalSpeed(flowing)
  }

  /** Why a lane is given up; null when it goes on. What it answers with counts as done. */
  judge(lane: Judged, nowMs: number): 'silent' | 'behind' | null {
    if (lane.resource !== null && nowMs - lane.lastByteAt > this.#stallMs) return 'silent'
    if (!this.#isReplaced(lane, nowMs)) return null
    this.#replacedAtMs = nowMs
    return 'behind'
  }

  #isReplaced(lane: Judged, nowMs: number): boolean {
    const { next, end, bytesPerSecond } = lane
    if (this.#flowing < fewestToCompare || end === null || !lane.flows || lane.isDuplicate) return false
    if (nowMs - lane.openedAt < slowAfterMs || nowMs - this.#replacedAtMs < replacePauseMs) return false
    return isFarBehind({ next, end, bytesPerSecond }, this.#typical)
  }
}
