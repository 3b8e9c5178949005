/** What opening a resource gives: apart from the code that opens, since the engine keeps opened ones. */
import type { ResourceFacts } from '../../shared/task/resource.ts'
import type { ChainCookies } from './chain-cookies.ts'
import type { DigestAuth } from './digest-auth.ts'
import type { ContentRange } from './header-values.ts'
import type { BodySink, Meter } from './body-sink.ts'
import type { ResponseHead } from './response-head.ts'

/** What a body is received through, whatever the protocol below: `Http1Body` or `Http2Body`. */
export interface BodySource {
  /** bytes of body received, framing removed */
  readonly bodyReceived: number
  /** true while the body is held back by its sink or by the speed limit, not by the host */
  readonly waits: boolean
  /** what the reached address is; null when a proxy reached it for us */
  readonly addressClass: 'public' | 'private' | null
  /** The first bytes of the waiting body, read without taking them; fewer when no more come within `timeoutMs`. */
  peek(count: number, timeoutMs: number): Promise<Buffer>
  /** Lets the body flow into a sink, which may be ended before this returns. */
  receive(sink: BodySink, meter: Meter | null): void
  /** Ends the body after this many bytes of it; what follows is not taken. */
  stopAfter(bytes: number): void
  /** Hands the bytes that wait in a part-filled slab to the sink. */
  flush(): void
  /** The sink takes bytes again. */
  resume(): void
  /** Closes at once. A sink that was receiving hears nothing more. */
  destroy(): void
}

/** An answer whose body waits to be received. */
export interface OpenResource {
  /** monotonic ms at which the request was sent: no byte of the body is older */
  readonly askedAt: number
  /** 200, 206 or 416 (RFC 9110); every other status is a `Trouble` */
  readonly status: number
  readonly head: ResponseHead
  readonly facts: ResourceFacts
  /** parsed only on 206 and 416; null when absent or unreadable */
  readonly contentRange: ContentRange | null
  /** value of Content-Disposition as latin1, null without one */
  readonly contentDisposition: string | null
  /** whether further requests to the final URL may reach private addresses */
  readonly mayBePrivate: boolean
  /** cookies that the chain set, for further requests */
  readonly cookies: ChainCookies
  /** what answered the host's challenges, for further requests; null when there was nothing to answer with */
  readonly auth: DigestAuth | null
  readonly connection: BodySource
  receive(sink: BodySink, meter: Meter | null): void
  /** Gives the connection back when its body is whole and read, else closes it. */
  close(): void
}
