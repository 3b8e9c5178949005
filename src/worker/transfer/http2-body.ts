/** The body of one HTTP/2 stream: what Node's client delivers, copied into slabs for the sink. */
import type { ClientHttp2Stream } from 'node:http2'
import type { AddressClass } from './address-rules.ts'
import { BodyIntake } from './body-intake.ts'
import type { BodySink, Meter } from './body-sink.ts'
import type { BodySource } from './opened.ts'
import type { ResponseHead } from './response-head.ts'
import type { SlabPool } from './slab-pool.ts'
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
  /** of the body that is being received: there exactly as long as the sink */
  #intake: BodyIntake | null = null
  #stopAfter = Number.POSITIVE_INFINITY
  #closed = false

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
    return this.#intake?.waits === true
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
    this.#intake = new BodyIntake(this.#pool, sink, meter, () => this.#stream.resume())
    const held = this.#held
    this.#held = []
    if (this.bodyReceived >= this.#stopAfter) {
      this.#endBody(null)
      return
    }
    for (const bytes of held) this.#take(bytes)
    if (this.#end !== null) this.#endBody(this.#end.problem)
    else this.#intake.readOn()
  }

  stopAfter(bytes: number): void {
    this.#stopAfter = Math.min(this.#stopAfter, bytes)
    if (this.#sink !== null && this.bodyReceived >= this.#stopAfter) this.#cut()
  }

  flush(): void {
    this.#intake?.flush()
  }

  resume(): void {
    this.#intake?.resume()
  }

  destroy(): void {
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
    for (let at = 0; at < bytes.length && this.#intake !== null;) {
      const wanted = Math.min(bytes.length, at + this.#stopAfter - this.bodyReceived)
      const count = bytes.copy(this.#intake.bytes, this.#intake.position, at, wanted)
      at += count
      this.#intake.add(count)
      this.bodyReceived += count
      if (this.bodyReceived >= this.#stopAfter) this.#cut()
      else this.#intake.passOn()
    }
    this.#intake?.spend(bytes.length)
    if (this.waits) this.#stream.pause()
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
    this.#release()
    sink?.ended(problem)
  }

  #release(): void {
    this.#intake?.close()
    this.#intake = null
    this.#sink = null
  }

  #close(): void {
    if (this.#closed) return
    this.#closed = true
    // What still arrives is let go, so that the session's window does not fill up with it.
    this.#stream.resume()
    this.#stream.close(cancel)
  }
}
