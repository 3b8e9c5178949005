/** What must not be shown of a task's parameters: credentials in headers, links and proxies. */
import type { Headers, TaskParameters } from './task/model.ts'

export const mask = '•••'

const secretHeader =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-.*(token|key|secret).*|.*(password|credential|api-?key|auth-token).*)$/i

/** A link without user name and password. */
export function withoutUserInfo(link: string): string {
  return link.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, '$1')
}

export function maskHeaders(headers: Headers): Headers {
  return headers.map(([name, value]) => [name, secretHeader.test(name) ? mask : value])
}

/** Values that must not appear in any text that leaves the host, longest first. */
export function secretValues(parameters: TaskParameters): string[] {
  const fromHeaders = parameters.headers.filter(([name]) => secretHeader.test(name)).map(([, value]) => value)
  const userInfo = /^[a-z][a-z0-9+.-]*:\/\/([^/?#@]*)@/i.exec(parameters.proxy ?? '')?.[1]
  const values = userInfo === undefined ? fromHeaders : [...fromHeaders, userInfo]
  return values.filter((value) => value.length >= 4).toSorted((a, b) => b.length - a.length)
}

/** A text without the secrets of a task. */
export function scrub(text: string, secrets: readonly string[]): string {
  return secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, mask), text)
}

export function maskParameters(parameters: TaskParameters): TaskParameters {
  const { link } = parameters
  return {
    ...parameters,
    link:
      link.kind === 'single'
        ? { kind: 'single', url: withoutUserInfo(link.url) }
        : { kind: 'pair', video: withoutUserInfo(link.video), audio: withoutUserInfo(link.audio) },
    headers: maskHeaders(parameters.headers),
    proxy: parameters.proxy === null ? null : withoutUserInfo(parameters.proxy),
  }
}
