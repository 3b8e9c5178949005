/** What opening a resource gives: apart from the code that opens, since the engine keeps opened ones. */
import type { ResourceFacts } from '../../shared/task/model.ts'
import type { ChainCookies } from './chain-cookies.ts'
import type { ContentRange } from './header-values.ts'
import type { BodySink, Meter } from './body-sink.ts'
import type { HttpConnection } from './http-connection.ts'
import type { ResponseHead } from './response-head.ts'

/** An answer whose body waits to be received. */
export interface OpenResource {
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
  readonly connection: HttpConnection
  receive(sink: BodySink, meter: Meter | null): void
  /** Gives the connection back when its body is whole and read, else closes it. */
  close(): void
}
