/**
 * One connection that speaks HTTP/1.1, one request at a time, built for large bodies: the kernel fills a slab at
 * a moving offset and whole slabs are handed on, so no byte is copied and nothing is allocated per read.
 *
 * Two traps of Node's `onread` shape this class. The next buffer is asked for *right after* the callback, so what
 * the first read of a body lands in was chosen while the head was parsed. And TLS goes on delivering what it has
 * decrypted after it was told to stop, so there must always be room.
 */
import type { Socket } from 'node:net'
import { BodyIntake } from './body-intake.ts'
import type { BodySink, Meter } from './body-sink.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import { HeldBytes } from './held-bytes.ts'
import type { ResponseHead } from './response-head.ts'
import { findHeadEnd, maxHeadBytes, parseResponseHead } from './response-head.ts'
import type { SlabPool } from './slab-pool.ts'
import type { Trouble } from './trouble.ts'
import { networkTrouble, protocolTrouble, trouble } from './trouble.ts'

/** What `net.connect` and `tls.connect` take as `onread`. */
export interface OnRead {
  buffer: () => Buffer
  callback: (count: number) => boolean
}

type Phase = 'idle' | 'head' | 'held' | 'body' | 'closed'

export class HttpConnection {
  /** what the connection leads to, for the keep-alive pool */
  readonly key: string
  /** name in error texts */
  readonly host: string
  /** what the reached address is; null when a proxy reached it for us */
  addressClass: 'public' | 'private' | null = null
  /** whether the host said in the TLS handshake that it speaks HTTP/1.1; null without TLS */
  agreedToHttp1: boolean | null = null
  /** bytes of body received for the present request, framing removed */
  bodyReceived = 0
  /** requests answered so far */
  answered = 0
  /** called once when the connection is gone while it was idle */
  onIdleEnd: () => void = () => {}

  readonly onread: OnRead
  #socket: Socket | null = null
  readonly #pool: SlabPool
  #phase: Phase = 'idle'
  #method: 'GET' | 'HEAD' | 'CONNECT' = 'GET'
  /** bytes that arrived before a sink was there: heads, and the first bytes of bodies */
  readonly #held = new HeldBytes()
  /** what the kernel fills next, and whether it lies in `#held` (else in the slab) */
  #handed: Buffer = this.#held.room()
  #handedHeld = true
  /** what happened to the connection while its answer waited for a sink */
  #heldProblem: Trouble | null = null
  /** somebody waits for the first bytes of a held answer */
  #onHeld: (() => void) | null = null
  #head: ResponseHead | null = null
  #onHead: { resolve: (head: ResponseHead) => void; reject: (problem: Trouble) => void } | null = null
  #sink: BodySink | null = null
  /** of the body that is being received: there exactly as long as the sink */
  #intake: BodyIntake | null = null
  #chunked: ChunkedDecoder | null = null
  #stopAfter = Number.POSITIVE_INFINITY
  #ended = false
  #excess = false

  constructor(key: string, host: string, pool: SlabPool) {
    this.key = key
    this.host = host
    this.#pool = pool
    this.onread = { buffer: () => this.#nextBuffer(), callback: (count) => this.#filled(count) }
  }

  /**
   * Takes the connected socket. `delivers` says how its bytes come: by `onread`, or by 'data' events where Node
   * ignores `onread` (anything tunnelled).
   */
  adopt(socket: Socket, delivers: 'onread' | 'data'): void {
    this.#socket = socket
    socket.setNoDelay(true)
    if (delivers === 'data') {
      socket.on('data', (bytes: Buffer) => {
        this.#arrived(bytes)
        if (!this.#readsOn()) socket.pause()
      })
    }
    socket.resume()
    socket.on('end', () => this.#finishedByPeer())
    socket.on('error', (error) => this.#fail(networkTrouble(error, this.host)))
    socket.on('close', () => this.#fail(networkTrouble({ code: 'ECONNRESET' }, this.host)))
  }

  get closed(): boolean {
    return this.#phase === 'closed'
  }

  /** True when another request may be sent on it. */
  get reusable(): boolean {
    return this.#phase === 'idle' && this.#socket !== null && !this.#socket.destroyed
  }

  /** True while the body is held back by us, not by the host. */
  get waits(): boolean {
    return this.#intake?.waits === true
  }

  /** Keeps the process alive (or not) while the connection is idle. */
  setReferenced(referenced: boolean): void {
    if (referenced) this.#socket?.ref()
    else this.#socket?.unref()
  }

  /**
   * Sends a request and resolves with the head of the final answer; the body waits until `receive`. Rejects
   * with a `Trouble` (`status` null). `timeoutMs` covers everything up to the end of the head.
   */
  request(text: string, method: 'GET' | 'HEAD' | 'CONNECT', timeoutMs: number): Promise<ResponseHead> {
    return new Promise((resolve, reject) => {
      if (!this.reusable || this.#socket === null) {
        reject(networkTrouble({ code: 'ECONNRESET' }, this.host))
        return
      }
      this.#phase = 'head'
      this.#method = method
      this.#head = null
      this.#heldProblem = null
      this.#ended = false
      this.#excess = false
      this.bodyReceived = 0
      this.#stopAfter = Number.POSITIVE_INFINITY
      const timer = setTimeout(() => {
        this.#fail(trouble('retry', 'TIMEOUT', `The host ${this.host} did not answer in time`))
      }, timeoutMs)
      this.#onHead = {
        resolve: (head) => {
          clearTimeout(timer)
          resolve(head)
        },
        reject: (problem) => {
          clearTimeout(timer)
          reject(problem)
        },
      }
      this.#socket.write(text, 'latin1')
    })
  }

  /**
   * The first bytes of the waiting body, read without taking them: `count` of them, or fewer when the answer
   * ends before or nothing more comes within `timeoutMs`.
   */
  peek(count: number, timeoutMs: number): Promise<Buffer> {
    const { framing } = this.#head ?? { framing: null }
    const most = framing?.kind === 'length' ? framing.length : framing?.kind === 'none' ? 0 : count
    const wanted = Math.min(count, most)
    return new Promise((resolve) => {
      const look = () => {
        const there = this.#held.length
        if (this.#phase === 'held' && there < wanted && this.#heldProblem === null) return
        done()
      }
      const done = () => {
        clearTimeout(timer)
        this.#onHeld = null
        this.#socket?.pause()
        resolve(Buffer.from(this.#held.view().subarray(0, count)))
      }
      const timer = setTimeout(done, timeoutMs)
      this.#onHeld = look
      this.#socket?.resume()
      look()
    })
  }

  /** Lets the body of the present answer flow into a sink. The sink may be ended before this returns. */
  receive(sink: BodySink, meter: Meter | null): void {
    if (this.#phase !== 'held' || this.#head === null) {
      sink.ended(networkTrouble({ code: 'ECONNRESET' }, this.host))
      return
    }
    this.#phase = 'body'
    this.#sink = sink
    this.#intake = new BodyIntake(this.#pool, sink, meter, () => this.#socket?.resume())
    const { framing } = this.#head
    this.#chunked = framing.kind === 'chunked' ? new ChunkedDecoder() : null
    if (framing.kind === 'length') this.#stopAfter = Math.min(this.#stopAfter, framing.length)
    if (framing.kind === 'none') this.#stopAfter = 0
    this.#takeHeld()
    if (this.#isBody() && !this.#checkEnd()) {
      if (this.#heldProblem === null) this.#intake.readOn()
      else if (this.#peerEnded) this.#finishedByPeer()
      else this.#fail(this.#heldProblem)
    }
  }

  /** Ends the body after this many bytes of it, at once when they are there; what follows is not taken. */
  stopAfter(bytes: number): void {
    this.#stopAfter = Math.min(this.#stopAfter, bytes)
    if (this.#phase === 'body') this.#checkEnd()
  }

  /** Hands the bytes that wait in a part-filled slab to the sink. */
  flush(): void {
    this.#intake?.flush()
  }

  /** The sink takes bytes again. */
  resume(): void {
    this.#intake?.resume()
  }

  /** Closes at once. A sink that was receiving hears nothing more; a waiting request is rejected. */
  destroy(): void {
    this.#release()
    if (this.#phase === 'held') this.#phase = 'idle'
    this.#fail(networkTrouble({ code: 'ECONNRESET' }, this.host))
  }

  // ------------------------------------------------------------------ arriving bytes

  #peerEnded = false

  // Both change under calls that the compiler does not see through.
  #isBody(): boolean {
    return this.#phase === 'body'
  }
  #hasEnded(): boolean {
    return this.#ended
  }

  #nextBuffer(): Buffer {
    this.#handedHeld = this.#intake === null
    this.#handed = this.#intake === null ? this.#held.room() : this.#intake.room()
    return this.#handed
  }

  /** The kernel put `count` bytes where `#nextBuffer` said. Returns whether to read on. */
  #filled(count: number): boolean {
    if (this.#handedHeld) this.#arrived(this.#handed.subarray(0, count))
    else if (this.#intake !== null) this.#took(this.#intake, count)
    return this.#readsOn()
  }

  #readsOn(): boolean {
    switch (this.#phase) {
      case 'idle':
      case 'head':
        return true
      case 'held':
        return this.#onHeld !== null
      case 'body':
        return !this.waits
      case 'closed':
        return false
    }
  }

  /**
   * Bytes came outside a slab. With `onread` they may lie in `#held` already, though not always where its next
   * bytes belong: the place was chosen before the last change of phase.
   */
  #arrived(bytes: Buffer): void {
    if (this.#phase === 'body') {
      this.#copyIn(bytes)
    } else if (this.#phase === 'idle') {
      this.#fail(protocolTrouble('bytes that were not asked for'))
    } else if (this.#phase !== 'closed') {
      this.#held.keep(bytes)
      if (this.#phase === 'head') this.#tryHead()
      else this.#onHeld?.()
    }
  }

  #tryHead(): void {
    try {
      for (let informational = 0; informational < 10; informational++) {
        const held = this.#held.view()
        const headEnd = findHeadEnd(held, 0, held.length)
        if (headEnd < 0) {
          if (held.length > maxHeadBytes) throw protocolTrouble('a head that is too large')
          return
        }
        const head = parseResponseHead(held.subarray(0, headEnd), this.#method)
        this.#held.drop(headEnd)
        if (head.status === 101) throw protocolTrouble('a switch of protocols that was not asked for')
        if (head.status >= 200) {
          this.#phase = 'held'
          this.#head = head
          this.answered += 1
          this.#onHead?.resolve(head)
          this.#onHead = null
          return
        }
      }
      throw protocolTrouble('too many interim answers')
    } catch (thrown) {
      this.#fail(networkTrouble(thrown, this.host))
    }
  }

  /** Moves what waits in the head's buffer into slabs. */
  #takeHeld(): void {
    this.#copyIn(this.#held.takeAll())
  }

  #copyIn(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length && this.#intake !== null) {
      const count = bytes.copy(this.#intake.bytes, this.#intake.position, at)
      at += count
      this.#took(this.#intake, count)
    }
    if (at < bytes.length) this.#excess = true
  }

  /** `count` bytes, with their framing, lie where the next ones of the body go. */
  #took(intake: BodyIntake, count: number): void {
    try {
      const fresh = this.#chunked === null ? count : this.#unframed(this.#chunked, intake, count)
      intake.add(fresh)
      this.bodyReceived += fresh
    } catch (thrown) {
      this.#fail(networkTrouble(thrown, this.host))
      return
    }
    if (this.#checkEnd()) return
    intake.passOn()
    if (this.#isBody()) intake.spend(count)
  }

  /** Takes the framing out, in place; returns how many bytes of the body are left. */
  #unframed(chunked: ChunkedDecoder, intake: BodyIntake, count: number): number {
    const from = intake.position
    const decoded = chunked.decode(intake.bytes, from, from + count)
    if (decoded.used < count) this.#excess = true
    return decoded.dataEnd - from
  }

  // ------------------------------------------------------------------ ends

  /** Ends the body when all of it, or all that is wanted, is there. */
  #checkEnd(): boolean {
    const naturalLength = this.#head?.framing.kind === 'length' ? this.#head.framing.length : null
    const whole = this.#chunked?.done ?? (naturalLength !== null && this.bodyReceived >= naturalLength)
    if (!whole && this.bodyReceived < this.#stopAfter) return false
    const surplus = this.bodyReceived - this.#stopAfter
    if (surplus > 0) {
      this.#intake?.takeBack(surplus)
      this.bodyReceived = this.#stopAfter
    }
    const natural = this.#head?.framing.kind === 'none' || (whole && surplus <= 0)
    this.#endBody(natural && !this.#excess && this.#head?.keepAlive === true)
    return true
  }

  #endBody(reusable: boolean): void {
    if (this.#ended) return
    this.flush()
    // The sink may have ended it while it took the last bytes.
    if (this.#hasEnded()) return
    this.#ended = true
    const sink = this.#sink
    this.#release()
    if (reusable) {
      this.#phase = 'idle'
      this.#socket?.resume()
    } else {
      this.#phase = 'closed'
      this.#socket?.destroy()
    }
    sink?.ended(null)
  }

  #release(): void {
    this.#intake?.close()
    this.#intake = null
    this.#sink = null
    this.#chunked = null
  }

  /** The other side sent its last byte. */
  #finishedByPeer(): void {
    this.#peerEnded = true
    if (this.#phase === 'body' && this.#head?.framing.kind === 'close') {
      this.#endBody(false)
      return
    }
    this.#fail(
      this.#phase === 'body'
        ? trouble('retry', 'NETWORK_ERROR', 'The host ended the answer before it was whole', {
            details: { host: this.host },
          })
        : networkTrouble({ code: 'ECONNRESET' }, this.host),
    )
  }

  #fail(problem: Trouble): void {
    const phase = this.#phase
    if (phase === 'closed') return
    if (phase === 'held') {
      // What arrived may be all there is to it: judged when a sink has taken it.
      this.#heldProblem ??= problem
      this.#onHeld?.()
      return
    }
    if (phase === 'body') {
      this.flush()
      if (!this.#isBody()) return
    }
    this.#phase = 'closed'
    const { sink, onHead } = { sink: this.#sink, onHead: this.#onHead }
    this.#release()
    this.#onHead = null
    this.#socket?.destroy()
    onHead?.reject(problem)
    if (sink !== null && !this.#ended) {
      this.#ended = true
      sink.ended(problem)
    }
    if (phase === 'idle') this.onIdleEnd()
  }
}
