/** Requests for one source: the link, its headers and credentials, where it led to, and what was learnt. */
import { checkLink } from '../../shared/link.ts'
import type { Access } from '../../shared/task/access.ts'
import type { Headers, Source } from '../../shared/task/resource.ts'
import { ChainCookies } from './chain-cookies.ts'
import type { Engine } from './engine.ts'
import { DigestAuth } from './digest-auth.ts'
import type { Credentials } from './digest-auth.ts'
import { openResource } from './open-resource.ts'
import type { OpenResource } from './opened.ts'
import { Trouble } from './trouble.ts'

export class SourceOpener {
  readonly #engine: Engine
  readonly #link: ReturnType<typeof checkLink>
  readonly #source: Source
  readonly #proxy: string | null
  readonly #access: Access
  #auth: DigestAuth | null
  #cookies: ChainCookies
  /** where the link led to last; links that lead on age, so only the link itself is kept over restarts */
  #final: { url: string; mayBePrivate: boolean } | null = null

  /** Throws `INVALID_INPUT` or `UNSUPPORTED` for a link that cannot be requested. */
  constructor(engine: Engine, source: Source, proxy: string | null, access: Access = {}) {
    this.#engine = engine
    this.#source = source
    this.#proxy = proxy
    this.#access = access
    this.#link = checkLink(source.url)
    this.#cookies = new ChainCookies(access.cookies)
    const credentials = this.#link.credentials ?? basicCredentialsOf(source.headers)
    this.#auth = credentials === null ? null : new DigestAuth(credentials)
  }

  get hostKey(): string {
    return new URL(this.#final?.url ?? this.#link.url).origin
  }

  /** Takes what an earlier request for this link found out. */
  adopt(resource: OpenResource): void {
    this.#final = { url: resource.facts.finalUrl, mayBePrivate: resource.mayBePrivate }
    this.#cookies = resource.cookies
    this.#auth = resource.auth
  }

  /** From the link itself, through all redirects. */
  async openLink(
    range: { start: number; end: number | null } | null,
    ifRange: string | null,
    signal: AbortSignal,
  ): Promise<OpenResource> {
    const resource = await this.#open({ url: this.#link.url, mayBePrivate: true }, range, ifRange, signal)
    this.adopt(resource)
    return resource
  }

  /** From where the link led to; when that has expired, from the link again, once. */
  async openFinal(
    range: { start: number; end: number | null },
    ifRange: string | null,
    signal: AbortSignal,
  ): Promise<OpenResource> {
    const final = this.#final
    if (final === null || final.url === this.#link.url) return this.openLink(range, ifRange, signal)
    try {
      return await this.#open(final, range, ifRange, signal)
    } catch (thrown) {
      if (!(thrown instanceof Trouble) || thrown.advice !== 'source') throw thrown
      return this.openLink(range, ifRange, signal)
    }
  }

  #open(
    to: { url: string; mayBePrivate: boolean },
    range: { start: number; end: number | null } | null,
    ifRange: string | null,
    signal: AbortSignal,
  ): Promise<OpenResource> {
    return openResource(this.#engine, {
      url: to.url,
      mayBePrivate: to.mayBePrivate,
      headers: this.#source.headers,
      trustedOrigin: new URL(this.#link.url).origin,
      credentials: this.#link.credentials,
      auth: this.#auth,
      access: this.#access,
      cookies: this.#cookies,
      range,
      ifRange,
      proxy: this.#proxy,
      signal,
    })
  }
}

/** User name and password of a basic `Authorization` header: a host that wants a digest gets them as one. */
function basicCredentialsOf(headers: Headers): Credentials | null {
  const header = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? ''
  const token = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header.trim())?.[1]
  if (token === undefined) return null
  const text = Buffer.from(token, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}
