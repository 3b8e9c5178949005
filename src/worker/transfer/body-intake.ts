/**
 * Takes in the bytes of one body: they are put into slabs of the pool, and whole slabs are handed to the sink. Says
 * when to stop reading, because the sink has enough to do, the speed limit is reached or this turn of the loop has read
 * for long, and when to go on.
 */
import type { BodySink, Meter } from './body-sink.ts'
import type { Slab, SlabPool } from './slab-pool.ts'

export class BodyIntake {
  readonly #pool: SlabPool
  readonly #sink: BodySink
  readonly #meter: Meter | null
  readonly #goOn: () => void
  #slab: Slab | null = null
  /** of the slab: what was handed on ends here, what waits ends there */
  #start = 0
  #end = 0
  #sinkWaits = false
  #meterTimer: NodeJS.Timeout | null = null
  #turnWaits = false

  /** `goOn` is called when reading may go on after a wait. */
  constructor(pool: SlabPool, sink: BodySink, meter: Meter | null, goOn: () => void) {
    this.#pool = pool
    this.#sink = sink
    this.#meter = meter
    this.#goOn = goOn
  }

  /** True while the body is held back by us, not by the host. */
  get waits(): boolean {
    return this.#sinkWaits || this.#meterTimer !== null || this.#turnWaits
  }

  /** The slab that the next bytes go into, never a full one. */
  get bytes(): Buffer {
    return this.#current().bytes
  }

  /** Position in `bytes` that the next ones go to. */
  get position(): number {
    this.#current()
    return this.#end
  }

  /** Where the kernel may put the next bytes: no more at once than the speed limit bears. */
  room(): Buffer {
    const { bytes } = this.#current()
    const limit = this.#meter?.readSize() ?? Number.POSITIVE_INFINITY
    return bytes.subarray(this.#end, Math.min(bytes.length, this.#end + limit))
  }

  /** `count` bytes of the body lie at `position`. */
  add(count: number): void {
    this.#end += count
  }

  /** The last `count` of the bytes that wait were not wanted. */
  takeBack(count: number): void {
    this.#end = Math.max(this.#start, this.#end - count)
  }

  /** Hands a full slab to the sink, which may end the intake. */
  passOn(): void {
    if (this.#slab === null || this.#end < this.#slab.bytes.length) return
    if (!this.#turnWaits && this.#pool.turn.isOver()) this.#waitForTurn()
    this.#deliver(this.#slab)
  }

  /** Hands on what waits in a part-filled slab too. */
  flush(): void {
    if (this.#slab !== null && this.#end > this.#start) this.#deliver(this.#slab)
  }

  /** Counts bytes that came over the wire against the speed limit. */
  spend(count: number): void {
    const waitMs = this.#meter?.spend(count) ?? 0
    if (waitMs <= 0 || this.#meterTimer !== null) return
    this.#meterTimer = setTimeout(() => {
      this.#meterTimer = null
      this.readOn()
    }, waitMs)
  }

  /** The sink takes bytes again. */
  resume(): void {
    this.#sinkWaits = false
    this.readOn()
  }

  /** Has the reading go on, unless it has to wait. */
  readOn(): void {
    if (!this.waits) this.#goOn()
  }

  /** Lets everything go; nothing is called back any more. */
  close(): void {
    this.#letSlabGo()
    if (this.#meterTimer !== null) clearTimeout(this.#meterTimer)
    this.#meterTimer = null
    this.#sinkWaits = false
    this.#turnWaits = false
  }

  #waitForTurn(): void {
    this.#turnWaits = true
    this.#pool.turn.wait(() => {
      if (!this.#turnWaits) return
      this.#turnWaits = false
      this.readOn()
    })
  }

  #current(): Slab {
    if (this.#slab === null) {
      this.#slab = this.#pool.take(this.#sink.slabBytes)
      this.#start = 0
      this.#end = 0
    }
    return this.#slab
  }

  #deliver(slab: Slab): void {
    const from = this.#start
    this.#start = this.#end
    if (!this.#sink.data(slab, from, this.#end)) this.#sinkWaits = true
    // the sink may have closed the intake while it took them
    if (this.#slab === slab && this.#end === slab.bytes.length) this.#letSlabGo()
  }

  #letSlabGo(): void {
    if (this.#slab !== null) this.#pool.release(this.#slab)
    this.#slab = null
  }
}
