/**
 * How many connections a transfer should have. They are added only while they help, in rounds, since sixteen
 * slow ones added singly would take seconds to stand: to four at once, then by four while each brings nearly its
 * full share, else by two. A round beyond four that did not raise the throughput by a good part of what it could
 * is taken back for a while. Pure but for its memory; time comes in.
 */

/** Time over which a round is measured once all its connections flow; the first is only asked for its order. */
const windowMs = 80
const firstWindowMs = 40
/** Up to this many connections are not asked what they gained: so few burden nobody. */
const freelyUpTo = 4
/** Share of the ideal gain from which on the next round is a large one. */
const generousShare = 0.75
/** Share of the ideal gain that a round must bring. */
const requiredShare = 0.25
/** Time after which a plateau is questioned. */
const plateauMs = 10_000
/** Work that would be through in this time gets no further connection. */
const shortWorkMs = 1_500

export interface RampFacts {
  /** monotonic ms */
  nowMs: number
  /** connections whose bodies flow */
  flowing: number
  /** connections on their way */
  opening: number
  /** bytes received so far, over all connections */
  received: number
  /** bytes still to come */
  remaining: number
  /** most that are allowed */
  allowed: number
  /** own speed limit, null without one */
  limitBytesPerSecond: number | null
}

export class ConnectionRamp {
  #target = 1
  #measuredFrom: { ms: number; received: number } | null = null
  /** throughput of the round before and its connections */
  #before: { connections: number; speed: number } | null = null
  #plateauUntilMs = 0

  get target(): number {
    return this.#target
  }

  /** A connection was refused or gave nothing: no more than this many for now. */
  hold(connections: number, nowMs: number): void {
    this.#target = Math.max(1, connections)
    this.#plateauUntilMs = nowMs + plateauMs
    this.#before = null
    this.#measuredFrom = null
  }

  /** Looks at the facts, at least every 50 ms; answers how many connections there should be. */
  update(facts: RampFacts): number {
    if (facts.opening > 0 || facts.flowing < Math.min(this.#target, facts.allowed)) {
      this.#measuredFrom = null
    } else if (this.#measuredFrom === null) {
      this.#measuredFrom = { ms: facts.nowMs, received: facts.received }
    } else if (facts.nowMs - this.#measuredFrom.ms >= (this.#target === 1 ? firstWindowMs : windowMs)) {
      const seconds = (facts.nowMs - this.#measuredFrom.ms) / 1000
      this.#judge(facts, (facts.received - this.#measuredFrom.received) / seconds)
      this.#measuredFrom = { ms: facts.nowMs, received: facts.received }
    }
    return Math.min(this.#target, facts.allowed)
  }

  #judge(facts: RampFacts, speed: number): void {
    const { nowMs, allowed, limitBytesPerSecond: limit } = facts
    const before = this.#before
    const share =
      before === null || before.speed === 0
        ? 1
        : (speed / before.speed - 1) / (this.#target / before.connections - 1)
    if (before !== null && this.#target > freelyUpTo && share < requiredShare) {
      this.hold(before.connections, nowMs)
      return
    }
    if (nowMs < this.#plateauUntilMs || this.#target >= allowed) return
    if (limit !== null && speed > limit * 0.9) return
    if (speed > 0 && (facts.remaining / speed) * 1000 < shortWorkMs) return
    this.#before = { connections: this.#target, speed }
    const factor = share >= generousShare ? 4 : 2
    this.#target = Math.min(this.#target * factor, allowed)
  }
}
