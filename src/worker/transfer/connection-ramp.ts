/**
 * How many connections a transfer should have. They are added only while they help, in rounds, since sixteen
 * slow ones added singly would take seconds to stand: to four at once, then by the factor four while each brings a
 * good part of its full share, else two. After a round that did not raise the throughput none are added for a
 * while, and what it had beyond four is taken back. Pure but for its memory; time comes in.
 */

/** Time over which a round is measured once all its connections flow. */
const windowMs = 80
/** What is clear after this time is not waited for longer. */
const clearMs = 20
/** Before a round is taken back it is measured for this long: a host may pause, and so may this machine. */
const doubtMs = 250
/** Up to this many connections are not taken back, whatever they gained: so few burden nobody. */
const freelyUpTo = 4
/** Share of the ideal gain from which on the next round is a large one. */
const generousShare = 0.5
/** Share of the ideal gain that a round must bring. */
const requiredShare = 0.25
/** Time after which a plateau is questioned. */
const plateauMs = 10_000
/** Work that would be through in this time gets no further connection. */
const shortWorkMs = 1_500
/** Work that would take this much longer than that is clearly long. */
const clearlyLong = 4

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
  /** what is being measured: so many connections, from then on */
  #from: { ms: number; received: number; connections: number } | null = null
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
    this.#from = null
  }

  /** Looks at the facts, at least every 50 ms; answers how many connections there should be. */
  update(facts: RampFacts): number {
    const { nowMs, received, flowing } = facts
    if (this.#from === null || this.#from.connections !== flowing) {
      this.#from = { ms: nowMs, received, connections: flowing }
    } else if (nowMs - this.#from.ms >= clearMs) {
      this.#look(facts, this.#from)
    }
    return Math.min(this.#target, facts.allowed)
  }

  #look(facts: RampFacts, from: { ms: number; received: number }): void {
    const elapsedMs = facts.nowMs - from.ms
    const speed = ((facts.received - from.received) * 1000) / elapsedMs
    if (facts.opening > 0 || facts.flowing < Math.min(this.#target, facts.allowed)) {
      // Until the first of the next round flows, what there was before can be measured better.
      if (this.#before?.connections === facts.flowing) this.#before.speed = speed
      return
    }
    const share = this.#shareOf(speed, facts.flowing)
    const restMs = speed > 0 ? (facts.remaining / speed) * 1000 : Number.POSITIVE_INFINITY
    const helped = share >= requiredShare
    const isClear = share >= generousShare && restMs >= clearlyLong * shortWorkMs
    if (elapsedMs < (!helped ? doubtMs : isClear ? clearMs : windowMs)) return
    if (helped) this.#grow(facts, speed, share, restMs)
    else this.#takeBack(facts, speed)
    // Measured anew: what had waited in the system's buffers when the first bytes were taken is no speed.
    this.#from = { ms: facts.nowMs, received: facts.received, connections: facts.flowing }
  }

  /** What the last round brought, as a share of what its connections could. */
  #shareOf(speed: number, connections: number): number {
    const before = this.#before
    if (before !== null && before.speed > 0 && connections > before.connections) {
      return (speed / before.speed - 1) / (connections / before.connections - 1)
    }
    return this.#plateauUntilMs === 0 ? 1 : requiredShare
  }

  /** Down to as many as would bring this speed if each brought its full share. */
  #takeBack({ nowMs, flowing }: RampFacts, speed: number): void {
    const { connections, speed: speedBefore } = this.#before ?? { connections: flowing, speed }
    const bearing = Math.round((connections * speed) / speedBefore)
    this.hold(Math.max(bearing, Math.min(freelyUpTo, this.#target)), nowMs)
  }

  #grow(facts: RampFacts, speed: number, share: number, restMs: number): void {
    const { nowMs, allowed, limitBytesPerSecond: limit } = facts
    // A round is judged once: what happens to the speed later says nothing of the connections.
    this.#before = null
    if (nowMs < this.#plateauUntilMs || this.#target >= allowed) return
    if (limit !== null && speed > limit * 0.9) return
    if (restMs < shortWorkMs) return
    this.#before = { connections: this.#target, speed }
    this.#target = Math.min(this.#target * (share >= generousShare ? 4 : 2), allowed)
  }
}
