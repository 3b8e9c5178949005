/**
 * Fills a file from one resource over as many connections as help. Ranges are split while they run, by measured
 * speed; what a connection leaves undone goes back to the others. Done means: the written ranges cover the
 * whole, never "all workers ended".
 */
import type { StepLimits, ActiveRange } from '../../shared/worker-protocol.ts'
import type { PartialFile } from '../files/partial-file.ts'
import { ConnectionRamp } from './connection-ramp.ts'
import type { Engine } from './engine.ts'
import type { FirstAnswer } from './first-open.ts'
import { Lane } from './lane.ts'
import type { LaneOwner } from './lane.ts'
import { LaneWatch } from './lane-watch.ts'
import type { OpenResource } from './opened.ts'
import type { Piece } from './range-allocator.ts'
import { RangeAllocator } from './range-allocator.ts'
import { endOfRange } from './range-answer.ts'
import { addRange, coversRange, missingRanges } from './range-set.ts'
import { Trouble, protocolTrouble, trouble } from './trouble.ts'

export interface TransferSetup {
  readonly engine: Engine
  readonly file: PartialFile
  /** of the whole resource; null when not announced */
  readonly length: number | null
  /** a strong validator guards further requests; without one each has to prove itself by an overlap */
  readonly guarded: boolean
  /** further connections are allowed */
  readonly splittable: boolean
  /** largest range that one request may ask for */
  readonly largestRequest: number
  /** names the host in what is remembered about it */
  readonly hostKey: string
  limits(): StepLimits
  /** Requests [start, end); rejects with a `Trouble`. */
  open(start: number, end: number, signal: AbortSignal): Promise<OpenResource>
  /** Checks that an answer to a further range is of the same version; throws `Trouble`. */
  checkSame(resource: OpenResource): void
  onTick(): void
}

export class RangeTransfer implements LaneOwner {
  readonly file: PartialFile
  readonly slabs: Engine['slabs']
  readonly #setup: TransferSetup
  readonly #lanes = new Set<Lane>()
  readonly #ramp = new ConnectionRamp()
  readonly #outcome = Promise.withResolvers<null>()
  readonly #allocator: RangeAllocator
  readonly #watch: LaneWatch
  #length: number | null
  #splittable: boolean
  #settled = false
  #receivedByEnded = 0
  #openEndDone = false

  constructor(setup: TransferSetup) {
    this.#setup = setup
    this.file = setup.file
    this.slabs = setup.engine.slabs
    this.#length = setup.length
    this.#splittable = setup.splittable
    this.#allocator = new RangeAllocator(setup.largestRequest)
    this.#watch = new LaneWatch(performance.now(), setup.engine.timings)
  }

  /** Bytes received over all connections in this transfer. */
  get received(): number {
    let sum = this.#receivedByEnded
    for (const lane of this.#lanes) sum += lane.next - lane.start
    return sum
  }

  /** Bytes that arrived and are on their way to the file. */
  get buffered(): number {
    let sum = 0
    for (const lane of this.#lanes) if (!lane.isDuplicate) sum += lane.buffered
    return sum
  }

  /** Where the lowest byte lies that a connection may still write. */
  get lowestOpen(): number {
    return Math.min(...[...this.#lanes].map((lane) => lane.delivered))
  }

  get length(): number | null {
    return this.#length
  }

  get connecting(): boolean {
    return ![...this.#lanes].some((lane) => lane.flows)
  }

  ranges(): ActiveRange[] {
    return [...this.#lanes].map((lane) => ({
      start: lane.start,
      next: lane.next,
      end: lane.end,
      bytesPerSecond: lane.bytesPerSecond,
    }))
  }

  /**
   * Runs until the file is whole, or, without a validator, until the first answer is at its end. Rejects with
   * the `Trouble` that stopped it. What arrived is written then, and no connection is open any more.
   */
  async run(first: FirstAnswer): Promise<void> {
    const timer = setInterval(() => this.#tick(), this.#setup.engine.timings.tickMs)
    const endRoom = this.slabs.onRoom(() => this.#wakeAll())
    try {
      this.#begin(first)
      await this.#outcome.promise
    } finally {
      clearInterval(timer)
      endRoom()
      this.#abandonAll()
      await this.file.settle()
    }
  }

  /** Hands part-filled slabs to writes and waits for those. */
  async flush(): Promise<void> {
    for (const lane of this.#lanes) lane.flush()
    await this.file.settle()
  }

  /** Ends the transfer at once: no byte is taken any more, `run` rejects with the reason. */
  stop(reason: Trouble): void {
    this.#settle(() => this.#outcome.reject(reason))
  }

  #begin(first: FirstAnswer): void {
    const lane = this.#newLane({ start: first.start, end: this.#firstEnd(first) }, false)
    if (this.#length !== null) {
      const taken = addRange(this.file.written, lane.start, lane.end ?? this.#length)
      this.#allocator.leave(0, this.#length, taken)
    }
    lane.receive(first.resource, first.end, first.proof, this.#setup.engine.limiter)
    this.#fill()
  }

  /** The first lane stops at the first byte that is held already. */
  #firstEnd(first: FirstAnswer): number | null {
    if (this.#length === null) return null
    if (!this.#setup.splittable && first.proof === null) return this.#length
    const from = first.start + (first.proof?.length ?? 0)
    const gap = missingRanges(this.file.written, from, this.#length)[0]
    return gap?.[0] === from ? gap[1] : this.#length
  }

  #newLane(range: { start: number; end: number | null }, isDuplicate: boolean): Lane {
    const lane = new Lane(this, range, performance.now(), isDuplicate)
    this.#lanes.add(lane)
    this.#setup.engine.openLanes += 1
    return lane
  }

  #dropLane(lane: Lane): void {
    if (!this.#lanes.delete(lane)) return
    this.#setup.engine.openLanes -= 1
    this.#receivedByEnded += lane.next - lane.start
  }

  // ------------------------------------------------------------------ news of the lanes

  onWritten(_lane: Lane, problem: Trouble | null): void {
    if (problem !== null) this.stop(problem)
    else this.#checkWhole()
  }

  onEnd(lane: Lane, problem: Trouble | null): void {
    const flowed = lane.flows
    this.#dropLane(lane)
    lane.resource?.close()
    if (this.#settled) return
    if (problem === null && lane.delivered === lane.end) {
      this.#allocator.sawSpeed(lane.meanSpeed(performance.now()))
    }
    if (lane.end === null) {
      if (problem === null) this.#openEndDone = true
      else this.stop(problem)
    } else {
      if (!lane.isDuplicate) this.#allocator.leave(lane.delivered, lane.end, this.file.written)
      if (problem !== null) this.#laneFailed(problem, flowed)
    }
    if (this.#openEndDone) this.#length = lane.delivered
    this.#checkWhole()
    this.#fill()
  }

  /** Replacing one of several connections is free; the last one's failure ends the transfer. */
  #laneFailed(problem: Trouble, flowed: boolean): void {
    const others = [...this.#lanes].filter((lane) => lane.flows)
    const fatal =
      problem.advice !== 'retry' && problem.advice !== 'source' && problem.advice !== 'no-such-host'
    if (fatal || (others.length === 0 && this.#lanes.size === 0)) {
      this.stop(problem)
      return
    }
    if (flowed) return
    // A host that refuses one more connection keeps serving those it has: no more are asked for from now on. What
    // is on its way may still be accepted, and counts itself out if it is not.
    const bearable = Math.max(1, this.#lanes.size)
    this.#ramp.hold(bearable, performance.now())
    if (problem.status === null) return
    this.#setup.engine.hostLimits.learn(this.#setup.hostKey, bearable)
  }

  #checkWhole(): void {
    const length = this.#length
    if (this.#settled || length === null || !coversRange(this.file.written, 0, length)) return
    this.#settle(() => this.#outcome.resolve(null))
  }

  #settle(act: () => void): void {
    if (this.#settled) return
    this.#settled = true
    this.#abandonAll()
    act()
  }

  #abandonAll(): void {
    for (const lane of [...this.#lanes]) {
      lane.abandon()
      this.#dropLane(lane)
    }
  }

  #wakeAll(): void {
    for (const lane of this.#lanes) lane.wake()
  }

  // ------------------------------------------------------------------ control

  #tick(): void {
    const now = performance.now()
    this.#watch.measure(this.#lanes, now)
    this.#wakeAll()
    for (const lane of [...this.#lanes]) this.#review(lane, now)
    this.#fill()
    this.#setup.onTick()
  }

  /** Gives a lane up that is of no more use. */
  #review(lane: Lane, now: number): void {
    if (lane.end !== null && coversRange(this.file.written, lane.delivered, lane.end)) {
      // Another connection was through with this tail first.
      lane.abandon()
      this.#dropLane(lane)
      return
    }
    const reason = this.#watch.judge(lane, now)
    if (reason === null) return
    lane.abandon()
    this.onEnd(lane, reason === 'silent' ? silentTrouble() : null)
  }

  /** How many connections there may be now. */
  #target(): number {
    const length = this.#length
    if (length === null || !this.#splittable) return 1
    const { engine, hostKey } = this.#setup
    const limits = this.#setup.limits()
    const leased = limits.connections
    const elsewhere = engine.openLanes - this.#lanes.size
    const lanes = [...this.#lanes]
    return this.#ramp.update({
      nowMs: performance.now(),
      flowing: lanes.filter((lane) => lane.flows).length,
      opening: lanes.filter((lane) => lane.resource === null).length,
      received: this.received,
      remaining: length - this.file.written.reduce((sum, [from, to]) => sum + to - from, 0),
      allowed: Math.max(1, Math.min(leased - elsewhere, engine.hostLimits.of(hostKey))),
      limitBytesPerSecond: limits.bytesPerSecond,
    })
  }

  #fill(): void {
    if (!this.#setup.guarded && this.#lanes.size === 0) {
      this.#settle(() => this.#outcome.resolve(null))
      return
    }
    let free = this.#target() - this.#lanes.size
    if (this.#settled) return
    for (; free > 0; free--) {
      const piece = this.#allocator.take()
      if (piece === null) break
      this.#start(piece)
    }
    if (free <= 0) return
    for (const piece of this.#allocator.takeFrom(this.#lanes, free)) this.#start(piece)
  }

  #start(piece: Piece): void {
    void this.#work(this.#newLane(piece, piece.isDuplicate))
  }

  async #work(lane: Lane): Promise<void> {
    // Lanes of one round are split among each other before the first of them asks for anything: what a host
    // has sent beyond a later cut would be wasted.
    await Promise.resolve()
    if (lane.end === null || !this.#lanes.has(lane)) return
    try {
      const resource = await this.#setup.open(lane.start, lane.end, lane.controller.signal)
      if (!this.#lanes.has(lane)) {
        resource.close()
        return
      }
      try {
        this.#receiveRange(lane, resource)
      } catch (thrown) {
        resource.close()
        throw thrown
      }
    } catch (thrown) {
      if (!this.#lanes.has(lane)) return
      this.onEnd(lane, thrown instanceof Trouble ? thrown : protocolTrouble('something unexpected'))
    }
  }

  #receiveRange(lane: Lane, resource: OpenResource): void {
    this.#setup.checkSame(resource)
    if (resource.status === 200 || resource.status === 203) {
      // The host honours ranges only now and then: the connections that have theirs go on, no more are asked.
      this.#splittable = false
      this.#ramp.hold(1, performance.now())
      throw protocolTrouble('the whole in place of a part')
    }
    const end = endOfRange(resource, lane.start)
    this.#allocator.sawSetUp((performance.now() - lane.openedAt) / 1000)
    lane.receive(resource, end, null, this.#setup.engine.limiter)
  }
}

function silentTrouble(): Trouble {
  return trouble('retry', 'TIMEOUT', 'The host sent nothing for a while', { details: { stalled: true } })
}
