/** Requests for one source: the link, its headers and credentials, where it led to, and what was learnt. */
import { checkLink } from '../../shared/link.ts'
import type { Source } from '../../shared/task/model.ts'
import { ChainCookies } from './chain-cookies.ts'
import type { Engine } from './engine.ts'
import { openResource } from './open-resource.ts'
import type { OpenResource } from './opened.ts'
import { Trouble } from './trouble.ts'

export class SourceOpener {
  readonly #engine: Engine
  readonly #link: ReturnType<typeof checkLink>
  readonly #source: Source
  readonly #proxy: string | null
  #cookies = new ChainCookies()
  /** where the link led to last; links that lead on age, so only the link itself is kept over restarts */
  #final: { url: string; mayBePrivate: boolean } | null = null

  /** Throws `INVALID_INPUT` or `UNSUPPORTED` for a link that cannot be requested. */
  constructor(engine: Engine, source: Source, proxy: string | null) {
    this.#engine = engine
    this.#source = source
    this.#proxy = proxy
    this.#link = checkLink(source.url)
  }

  get hostKey(): string {
    return new URL(this.#final?.url ?? this.#link.url).origin
  }

  /** Takes what an earlier request for this link found out. */
  adopt(resource: OpenResource): void {
    this.#final = { url: resource.facts.finalUrl, mayBePrivate: resource.mayBePrivate }
    this.#cookies = resource.cookies
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
      cookies: this.#cookies,
      range,
      ifRange,
      proxy: this.#proxy,
      signal,
    })
  }
}
