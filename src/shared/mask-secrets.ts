/** What must not be shown of a task's parameters: credentials in headers, links and proxies, cookies. */
import type { ErrorRecord } from './errors.ts'
import type { Access } from './task/access.ts'
import type { TaskParameters } from './task/model.ts'
import type { Headers } from './task/resource.ts'

export const mask = '•••'

const secretHeader =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-.*(token|key|secret).*|.*(password|credential|api-?key|auth-token).*)$/i

export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name)
}

/** A link without user name and password. */
export function withoutUserInfo(link: string): string {
  return link.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, '$1')
}

export function maskHeaders(headers: Headers): Headers {
  return headers.map(([name, value]) => [name, isSecretHeader(name) ? mask : value])
}

/** A header value, and the parts of it that are secret by themselves: each cookie, the token of a scheme. */
function partsOf([name, value]: [string, string]): string[] {
  if (/cookie$/i.test(name)) return [value, ...value.split(/;\s*/).map((pair) => pair.replace(/^[^=]*=/, ''))]
  return [value, value.replace(/^\S+\s+/, '')]
}

/** Shorter ones would make any text unreadable, and protect nothing. */
const shortestSecret = 4

/** Values that must not appear in any text that leaves the host, longest first. */
export function secretValues(
  parameters: Pick<TaskParameters, 'headers' | 'proxy'> & { access?: Access | undefined },
): string[] {
  const fromHeaders = parameters.headers.filter(([name]) => isSecretHeader(name)).flatMap(partsOf)
  const userInfo = /^[a-z][a-z0-9+.-]*:\/\/([^/?#@]*)@/i.exec(parameters.proxy ?? '')?.[1] ?? ''
  const password = userInfo.replace(/^[^:]*:?/, '')
  const cookies = parameters.access?.cookies?.map(({ value }) => value) ?? []
  return [...new Set([...fromHeaders, ...cookies, userInfo, password])]
    .filter((value) => value.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length)
}

/** A text without the secrets of a task. */
export function scrub(text: string, secrets: readonly string[]): string {
  return secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, mask), text)
}

/** An error whose texts and details are without the secrets of a task. */
export function scrubError(error: ErrorRecord, secrets: readonly string[]): ErrorRecord {
  if (secrets.length === 0) return error
  const { details } = error
  const clean = (value: string | number | boolean) =>
    typeof value === 'string' ? scrub(value, secrets) : value
  return {
    ...error,
    message: scrub(error.message, secrets),
    hint: scrub(error.hint, secrets),
    ...(details === undefined
      ? {}
      : { details: Object.fromEntries(Object.entries(details).map(([key, value]) => [key, clean(value)])) }),
  }
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
    ...(parameters.access === undefined ? {} : { access: maskAccess(parameters.access) }),
  }
}

function maskAccess(access: Access): Access {
  if (access.cookies === undefined) return access
  return { ...access, cookies: access.cookies.map((cookie) => ({ ...cookie, value: mask })) }
}
