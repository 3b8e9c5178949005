/**
 * One connection that speaks HTTP/1.1, one request at a time, built for large bodies: the kernel fills a slab at
 * a moving offset and whole slabs are handed on, so no byte is copied and nothing is allocated per read.
 *
 * Two traps of Node's `onread` shape this class. The next buffer is asked for *right after* the callback, so what
 * the first read of a body lands in was chosen while the head was parsed. And TLS goes on delivering what it has
 * decrypted after it was told to stop, so there must always be room.
 */
import type { Socket } from 'node:net'
import type { AddressClass } from './address-rules.ts'
import { HeldBytes } from './held-bytes.ts'
import { Http1Body } from './http1-body.ts'
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

/** An answer whose head is there; its body waits. */
export interface Http1Answer {
  readonly head: ResponseHead
  readonly body: Http1Body
}

type Method = 'GET' | 'HEAD' | 'CONNECT'

/** A request was sent. */
interface Asked {
  readonly kind: 'head'
  readonly socket: Socket
  readonly method: Method
  readonly timer: NodeJS.Timeout
  readonly resolve: (answer: Http1Answer) => void
  readonly reject: (problem: Trouble) => void
}

/** `body`: an answer is being received, or waits for that. */
type State =
  { readonly kind: 'idle' | 'closed' } | Asked | { readonly kind: 'body'; readonly body: Http1Body }

export class HttpConnection {
  /** what the connection leads to, for the keep-alive pool */
  readonly key: string
  /** name in error texts */
  readonly host: string
  /** what the reached address is; null when a proxy reached it for us */
  addressClass: AddressClass | null = null
  /** whether the host said in the TLS handshake that it speaks HTTP/1.1; null without TLS */
  agreedToHttp1: boolean | null = null
  /** requests answered so far */
  answered = 0
  /** called once when the connection is gone while it was idle */
  onIdleEnd: () => void = () => {}

  readonly onread: OnRead
  #socket: Socket | null = null
  readonly #pool: SlabPool
  #state: State = { kind: 'idle' }
  /** bytes that arrived before a sink was there: heads, and the first bytes of bodies */
  readonly #held = new HeldBytes()
  /** what the kernel fills next, and whether it lies in `#held` (else in the slab) */
  #handed: Buffer = this.#held.room()
  #handedHeld = true

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

  /** True when another request may be sent on it. */
  get reusable(): boolean {
    return this.#state.kind === 'idle' && this.#socket !== null && !this.#socket.destroyed
  }

  /** Keeps the process alive (or not) while the connection is idle. */
  setReferenced(referenced: boolean): void {
    if (referenced) this.#socket?.ref()
    else this.#socket?.unref()
  }

  /**
   * Sends a request and resolves with the head of the final answer and its waiting body. Rejects with a `Trouble`
   * (`status` null). `timeoutMs` covers everything up to the end of the head.
   */
  request(text: string, method: Method, timeoutMs: number): Promise<Http1Answer> {
    return new Promise((resolve, reject) => {
      const socket = this.#socket
      if (!this.reusable || socket === null) {
        reject(networkTrouble({ code: 'ECONNRESET' }, this.host))
        return
      }
      const timer = setTimeout(() => {
        this.#fail(trouble('retry', 'TIMEOUT', `The host ${this.host} did not answer in time`))
      }, timeoutMs)
      this.#state = { kind: 'head', socket, method, timer, resolve, reject }
      socket.write(text, 'latin1')
    })
  }

  /** Closes at once. A sink that was receiving hears nothing more; a waiting request is rejected. */
  destroy(): void {
    if (this.#state.kind === 'body') this.#state.body.destroy()
    else this.#fail(networkTrouble({ code: 'ECONNRESET' }, this.host))
  }

  // ------------------------------------------------------------------ arriving bytes

  #nextBuffer(): Buffer {
    const room = this.#state.kind === 'body' ? this.#state.body.room() : null
    this.#handedHeld = room === null
    this.#handed = room ?? this.#held.room()
    return this.#handed
  }

  /** The kernel put `count` bytes where `#nextBuffer` said. Returns whether to read on. */
  #filled(count: number): boolean {
    if (this.#handedHeld) this.#arrived(this.#handed.subarray(0, count))
    else if (this.#state.kind === 'body') this.#state.body.took(count)
    return this.#readsOn()
  }

  #readsOn(): boolean {
    const state = this.#state
    switch (state.kind) {
      case 'idle':
      case 'head':
        return true
      case 'body':
        return state.body.wantsMore
      case 'closed':
        return false
    }
  }

  /**
   * Bytes came outside a slab. With `onread` they may lie in `#held` already, though not always where its next
   * bytes belong: the place was chosen before the last change of state.
   */
  #arrived(bytes: Buffer): void {
    const state = this.#state
    switch (state.kind) {
      case 'idle':
        this.#fail(protocolTrouble('bytes that were not asked for'))
        break
      case 'head':
        this.#held.keep(bytes)
        this.#tryHead(state)
        break
      case 'body':
        state.body.arrived(bytes)
        break
      case 'closed':
        break
    }
  }

  #tryHead(asked: Asked): void {
    try {
      for (let informational = 0; informational < 10; informational++) {
        const held = this.#held.view()
        const headEnd = findHeadEnd(held, 0, held.length)
        if (headEnd < 0) {
          if (held.length > maxHeadBytes) throw protocolTrouble('a head that is too large')
          return
        }
        const head = parseResponseHead(held.subarray(0, headEnd), asked.method)
        this.#held.drop(headEnd)
        if (head.status === 101) throw protocolTrouble('a switch of protocols that was not asked for')
        if (head.status >= 200) {
          this.#begin(asked, head)
          return
        }
      }
      throw protocolTrouble('too many interim answers')
    } catch (thrown) {
      this.#fail(networkTrouble(thrown, this.host))
    }
  }

  // ------------------------------------------------------------------ begin and end of answers

  #begin({ socket, timer, resolve }: Asked, head: ResponseHead): void {
    clearTimeout(timer)
    const body = new Http1Body(head, {
      host: this.host,
      addressClass: this.addressClass,
      pool: this.#pool,
      socket,
      held: this.#held,
      onOver: (reusable) => this.#over(reusable),
    })
    this.#state = { kind: 'body', body }
    this.answered += 1
    resolve({ head, body })
  }

  #over(reusable: boolean): void {
    if (!reusable) {
      this.#close()
      return
    }
    this.#state = { kind: 'idle' }
    this.#socket?.resume()
  }

  #close(): void {
    this.#state = { kind: 'closed' }
    this.#socket?.destroy()
  }

  /** The other side sent its last byte. */
  #finishedByPeer(): void {
    if (this.#state.kind === 'body') this.#state.body.finishedByPeer()
    else this.#fail(networkTrouble({ code: 'ECONNRESET' }, this.host))
  }

  #fail(problem: Trouble): void {
    const state = this.#state
    switch (state.kind) {
      case 'idle':
        this.#close()
        this.onIdleEnd()
        break
      case 'head':
        clearTimeout(state.timer)
        this.#close()
        state.reject(problem)
        break
      case 'body':
        state.body.fail(problem)
        break
      case 'closed':
        break
    }
  }
}
