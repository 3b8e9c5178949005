/** The body of one HTTP/2 stream: what Node's client delivers, copied into slabs for the sink. */
import type { ClientHttp2Stream } from 'node:http2'
import type { AddressClass } from './address-rules.ts'
import type { BodySink, Meter } from './body-sink.ts'
import type { BodySource } from './opened.ts'
import type { ResponseHead } from './response-head.ts'
import type { Slab, SlabPool } from './slab-pool.ts'
import type { Trouble } from './trouble.ts'
import { networkTrouble, trouble } from './trouble.ts'

/** `CANCEL` (RFC 9113 section 7): the stream is not needed any more. */
const cancel = 8

export class Http2Body implements BodySource {
  readonly addressClass: AddressClass | null
  bodyReceived = 0
  /** called once when the stream breaks before its head is there */
  onFailure: (problem: Trouble) => void = () => {}
  readonly #stream: ClientHttp2Stream
  readonly #host: string
  readonly #pool: SlabPool
  #head: ResponseHead | null = null
  /** bytes that arrived before a sink was there */
  #held: Buffer[] = []
  /** how the stream ended, null while it goes on */
  #end: { problem: Trouble | null } | null = null
  #onHeld: (() => void) | null = null
  #sink: BodySink | null = null
  #meter: Meter | null = null
  #slab: Slab | null = null
  #from = 0
  #to = 0
  #stopAfter = Number.POSITIVE_INFINITY
  #closed = false
  #sinkWaits = false
  #meterTimer: NodeJS.Timeout | null = null

  constructor(
    stream: ClientHttp2Stream,
    parts: { host: string; addressClass: AddressClass | null; pool: SlabPool },
  ) {
    this.#stream = stream
    this.#host = parts.host
    this.addressClass = parts.addressClass
    this.#pool = parts.pool
    stream.pause()
    stream.on('data', (bytes: Buffer) => this.#arrived(bytes))
    stream.on('end', () => this.#finished(this.#shortfall()))
    stream.on('error', (error) => this.#finished(networkTrouble(error, this.#host)))
    // After a whole body this changes nothing; else the stream was reset, or its session is gone.
    stream.on('close', () => this.#finished(networkTrouble({ code: 'ECONNRESET' }, this.#host)))
  }

  get waits(): boolean {
    return this.#sinkWaits || this.#meterTimer !== null
  }

  /** The head of the answer is there. */
  begin(head: ResponseHead): void {
    this.#head = head
  }

  peek(count: number, timeoutMs: number): Promise<Buffer> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#onHeld = null
        this.#stream.pause()
        resolve(Buffer.concat(this.#held).subarray(0, count))
      }
      const timer = setTimeout(done, timeoutMs)
      this.#onHeld = () => {
        const there = this.#held.reduce((sum, piece) => sum + piece.length, 0)
        if (there >= count || this.#end !== null) done()
      }
      this.#stream.resume()
      this.#onHeld()
    })
  }

  receive(sink: BodySink, meter: Meter | null): void {
    this.#sink = sink
    this.#meter = meter
    const held = this.#held
    this.#held = []
    if (this.bodyReceived >= this.#stopAfter) {
      this.#endBody(null)
      return
    }
    for (const bytes of held) this.#take(bytes)
    if (this.#end !== null) this.#endBody(this.#end.problem)
    else this.#goOn()
  }

  stopAfter(bytes: number): void {
    this.#stopAfter = Math.min(this.#stopAfter, bytes)
    if (this.#sink !== null && this.bodyReceived >= this.#stopAfter) this.#cut()
  }

  flush(): void {
    if (this.#slab !== null && this.#to > this.#from) this.#deliver(this.#slab)
  }

  resume(): void {
    this.#sinkWaits = false
    this.#goOn()
  }

  destroy(): void {
    this.#sink = null
    this.#release()
    this.#held = []
    this.#close()
  }

  #shortfall(): Trouble | null {
    const framing = this.#head?.framing
    const arrived = this.bodyReceived + this.#held.reduce((sum, piece) => sum + piece.length, 0)
    if (framing?.kind !== 'length' || arrived === framing.length) return null
    return trouble('retry', 'NETWORK_ERROR', 'The host ended the answer before it was whole', {
      details: { host: this.#host },
    })
  }

  #arrived(bytes: Buffer): void {
    if (this.#sink !== null) this.#take(bytes)
    else if (!this.#closed) {
      this.#held.push(bytes)
      this.#onHeld?.()
    }
  }

  #take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && this.#sink !== null;) {
      const slab = this.#currentSlab(this.#sink)
      const wanted = Math.min(bytes.length, at + this.#stopAfter - this.bodyReceived)
      const count = bytes.copy(slab.bytes, this.#to, at, wanted)
      at += count
      this.#to += count
      this.bodyReceived += count
      if (this.bodyReceived >= this.#stopAfter) this.#cut()
      else if (this.#to === slab.bytes.length) this.#deliver(slab)
    }
    const waitMs = this.#sink === null ? 0 : (this.#meter?.spend(bytes.length) ?? 0)
    if (waitMs > 0 && this.#meterTimer === null) {
      this.#meterTimer = setTimeout(() => {
        this.#meterTimer = null
        this.#goOn()
      }, waitMs)
    }
    if (this.waits) this.#stream.pause()
  }

  #currentSlab(sink: BodySink): Slab {
    if (this.#slab === null) {
      this.#slab = this.#pool.take(sink.slabBytes)
      this.#from = 0
      this.#to = 0
    }
    return this.#slab
  }

  /** Hands the waiting bytes on; a full slab is let go. */
  #deliver(slab: Slab): void {
    const from = this.#from
    this.#from = this.#to
    if (this.#sink?.data(slab, from, this.#to) === false) this.#sinkWaits = true
    if (this.#slab === slab && this.#to === slab.bytes.length) this.#letSlabGo()
  }

  #letSlabGo(): void {
    if (this.#slab !== null) this.#pool.release(this.#slab)
    this.#slab = null
  }

  #goOn(): void {
    if (this.#sink !== null && !this.waits) this.#stream.resume()
  }

  /** All that is wanted is there. */
  #cut(): void {
    const isWhole = this.#end !== null
    this.#endBody(null)
    if (!isWhole) this.#close()
  }

  #finished(problem: Trouble | null): void {
    if (this.#end !== null) return
    this.#end = { problem }
    if (this.#head === null) this.onFailure(problem ?? networkTrouble({ code: 'ECONNRESET' }, this.#host))
    this.#onHeld?.()
    if (this.#sink !== null) this.#endBody(problem)
  }

  #endBody(problem: Trouble | null): void {
    this.flush()
    // The sink may have ended it while it took the last bytes.
    const sink = this.#sink
    this.#sink = null
    this.#release()
    sink?.ended(problem)
  }

  #release(): void {
    this.#letSlabGo()
    this.#meter = null
    if (this.#meterTimer !== null) clearTimeout(this.#meterTimer)
    this.#meterTimer = null
    this.#sinkWaits = false
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    // What still arrives is let go, so that the session's window does not fill up with it.
    this.#stream.resume()
    this.#stream.close(cancel)
  }
}
