/**
 * The body of one answer in HTTP/1.1. It waits in the connection's held bytes until a sink takes it, and comes in slabs
 * then, its framing taken out where it lies. It is over when the framing says so (RFC 9112 section 6.3), or sooner when
 * no more of it is wanted; only in the first case, and with nothing behind it, does the connection stand at the
 * beginning of a next answer and may be used again.
 */
import type { Socket } from 'node:net'
import type { AddressClass } from './address-rules.ts'
import { BodyIntake } from './body-intake.ts'
import type { BodySink, Meter } from './body-sink.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import type { HeldBytes } from './held-bytes.ts'
import type { BodySource } from './opened.ts'
import type { ResponseHead } from './response-head.ts'
import type { SlabPool } from './slab-pool.ts'
import type { Trouble } from './trouble.ts'
import { networkTrouble, trouble } from './trouble.ts'

/** What a body has of the connection that it comes over. */
export interface Http1Carrier {
  readonly host: string
  readonly addressClass: AddressClass | null
  readonly pool: SlabPool
  readonly socket: Pick<Socket, 'pause' | 'resume'>
  /** bytes that arrived behind the head */
  readonly held: HeldBytes
  /** Called once, before the sink hears of it. `reusable`: the connection can carry another request. */
  readonly onOver: (reusable: boolean) => void
}

export class Http1Body implements BodySource {
  readonly addressClass: AddressClass | null
  bodyReceived = 0
  readonly #head: Pick<ResponseHead, 'framing' | 'keepAlive'>
  readonly #carrier: Http1Carrier
  readonly #chunked: ChunkedDecoder | null
  /** bytes of body after which it is over, however much the host goes on to send */
  #stopAfter: number
  /** the host sent more than its framing announced */
  #excess = false
  /** bytes that came together with those that are being taken and lie behind them */
  #behind = 0
  /** what happened to the connection while the body waited for a sink */
  #heldProblem: Trouble | null = null
  #peerEnded = false
  /** somebody waits for the first bytes */
  #onHeld: (() => void) | null = null
  #sink: BodySink | null = null
  /** there exactly as long as the sink */
  #intake: BodyIntake | null = null
  #over = false

  constructor(head: Pick<ResponseHead, 'framing' | 'keepAlive'>, carrier: Http1Carrier) {
    const { framing } = head
    this.addressClass = carrier.addressClass
    this.#head = head
    this.#carrier = carrier
    this.#chunked = framing.kind === 'chunked' ? new ChunkedDecoder() : null
    this.#stopAfter =
      framing.kind === 'length' ? framing.length : framing.kind === 'none' ? 0 : Number.POSITIVE_INFINITY
  }

  get waits(): boolean {
    return this.#intake?.waits === true
  }

  peek(count: number, timeoutMs: number): Promise<Buffer> {
    const { held, socket } = this.#carrier
    const { framing } = this.#head
    const most = framing.kind === 'length' ? framing.length : framing.kind === 'none' ? 0 : count
    const wanted = Math.min(count, most)
    return new Promise((resolve) => {
      const look = () => {
        const mayCome = !this.#over && this.#intake === null && this.#heldProblem === null
        if (!mayCome || held.length >= wanted) done()
      }
      const done = () => {
        clearTimeout(timer)
        this.#onHeld = null
        socket.pause()
        resolve(Buffer.from(held.view().subarray(0, count)))
      }
      const timer = setTimeout(done, timeoutMs)
      this.#onHeld = look
      socket.resume()
      look()
    })
  }

  receive(sink: BodySink, meter: Meter | null): void {
    const { held, host, pool, socket } = this.#carrier
    if (this.#over || this.#intake !== null) {
      sink.ended(networkTrouble({ code: 'ECONNRESET' }, host))
      return
    }
    const intake = new BodyIntake(pool, sink, meter, () => socket.resume())
    this.#sink = sink
    this.#intake = intake
    this.#copyIn(held.takeAll())
    if (!this.#isReceiving() || this.#checkEnd()) return
    if (this.#heldProblem === null) intake.readOn()
    else if (this.#peerEnded) this.finishedByPeer()
    else this.fail(this.#heldProblem)
  }

  stopAfter(bytes: number): void {
    this.#stopAfter = Math.min(this.#stopAfter, bytes)
    if (this.#isReceiving()) this.#checkEnd()
  }

  flush(): void {
    this.#intake?.flush()
  }

  resume(): void {
    this.#intake?.resume()
  }

  destroy(): void {
    if (!this.#over) this.#letGo(false)
  }

  // ------------------------------------------------------------------ what the connection tells

  /** Whether the connection should go on reading. */
  get wantsMore(): boolean {
    return this.#intake === null ? this.#onHeld !== null : !this.#intake.waits
  }

  /** Where the kernel may put the next bytes; null while there is no sink for them. */
  room(): Buffer | null {
    return this.#intake?.room() ?? null
  }

  /** `count` bytes, with their framing, lie where the next ones of the body go. */
  took(count: number): void {
    const intake = this.#intake
    if (intake === null) return
    try {
      const fresh = this.#chunked === null ? count : this.#unframed(this.#chunked, intake, count)
      intake.add(fresh)
      this.bodyReceived += fresh
    } catch (thrown) {
      this.fail(networkTrouble(thrown, this.#carrier.host))
      return
    }
    if (this.#checkEnd()) return
    intake.passOn()
    if (this.#isReceiving()) intake.spend(count)
  }

  /** Bytes of it came outside a slab. */
  arrived(bytes: Buffer): void {
    if (this.#isReceiving()) {
      this.#copyIn(bytes)
    } else {
      this.#carrier.held.keep(bytes)
      this.#onHeld?.()
    }
  }

  /** The other side sent its last byte. */
  finishedByPeer(): void {
    const { host } = this.#carrier
    this.#peerEnded = true
    if (!this.#isReceiving()) {
      this.fail(networkTrouble({ code: 'ECONNRESET' }, host))
    } else if (this.#head.framing.kind === 'close') {
      this.#end(null, false)
    } else {
      const message = 'The host ended the answer before it was whole'
      this.fail(trouble('retry', 'NETWORK_ERROR', message, { details: { host } }))
    }
  }

  /** The connection broke. */
  fail(problem: Trouble): void {
    if (this.#isReceiving()) {
      this.#end(problem, false)
    } else {
      // What arrived may be all there is to it: judged when a sink has taken it.
      this.#heldProblem ??= problem
      this.#onHeld?.()
    }
  }

  // ------------------------------------------------------------------ its bytes and its end

  // Changes under calls that the compiler does not see through.
  #isReceiving(): boolean {
    return this.#intake !== null
  }

  #copyIn(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && this.#intake !== null;) {
      const count = bytes.copy(this.#intake.bytes, this.#intake.position, at)
      at += count
      this.#behind = bytes.length - at
      this.took(count)
    }
    this.#behind = 0
  }

  /** Takes the framing out, in place; returns how many bytes of the body are left. */
  #unframed(chunked: ChunkedDecoder, intake: BodyIntake, count: number): number {
    const from = intake.position
    const decoded = chunked.decode(intake.bytes, from, from + count)
    if (decoded.used < count) this.#excess = true
    return decoded.dataEnd - from
  }

  /** Ends the body when all of it, or all that is wanted, is there. */
  #checkEnd(): boolean {
    const { framing, keepAlive } = this.#head
    const whole = this.#chunked?.done ?? (framing.kind === 'length' && this.bodyReceived >= framing.length)
    if (!whole && this.bodyReceived < this.#stopAfter) return false
    const surplus = this.bodyReceived - this.#stopAfter
    if (surplus > 0) {
      this.#intake?.takeBack(surplus)
      this.bodyReceived = this.#stopAfter
    }
    const natural = (whole || framing.kind === 'none') && surplus <= 0
    this.#end(null, natural && !this.#excess && this.#behind === 0 && keepAlive)
    return true
  }

  #end(problem: Trouble | null, reusable: boolean): void {
    this.flush()
    // The sink may have ended it while it took the last bytes.
    const sink = this.#sink
    if (sink === null) return
    this.#letGo(reusable)
    sink.ended(problem)
  }

  #letGo(reusable: boolean): void {
    this.#over = true
    this.#intake?.close()
    this.#intake = null
    this.#sink = null
    this.#carrier.onOver(reusable)
  }
}
