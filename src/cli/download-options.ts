/** What `get` and `add` can be told about new downloads, checked before anything is touched. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AddOptions } from '../shared/contract/commands.ts'
import { maxCookiesFileLength, parseCookiesFile } from '../shared/cookies-file.ts'
import { SluiceError } from '../shared/errors.ts'
import { checkLink } from '../shared/link.ts'
import { expandLinkPattern } from '../shared/link-patterns.ts'
import { withoutUserInfo } from '../shared/mask-secrets.ts'
import { netrcCredentials } from '../shared/netrc.ts'
import { checkHeaders } from '../shared/request-headers.ts'
import type { Headers } from '../shared/task/resource.ts'
import { linksOfFile } from './link-list.ts'

/** The options as commander gives them. */
export interface RawDownloadOptions {
  video?: string
  audio?: string
  dir?: string
  output?: string
  connections?: string
  inputFile?: string
  header?: string[]
  cookies?: string
  netrc?: boolean
  netrcFile?: string
  insecure?: string[]
  leaveHttps?: boolean
  limit?: string
  proxy?: string
  checksum?: string
  format?: string
  audioOnly?: boolean
  direct?: boolean
}

export type Links = { kind: 'links'; links: string[] } | { kind: 'pair'; video: string; audio: string }

export function refuse(message: string, hint: string): never {
  throw new SluiceError('INVALID_INPUT', message, { hint })
}

export function wholeNumber(text: string, name: string, least: number, most: number): number {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < least || value > most) {
    refuse(`${name} takes a whole number, not "${text}"`, `Choose one from ${least} to ${most}.`)
  }
  return value
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** `500k`, `2M`, `1500000`: bytes per second. */
export function speedLimit(text: string): number {
  const parts = /^(\d{1,12}(?:\.\d{1,6})?)\s*([kmg]?)(?:i?b)?(?:\/s)?$/i.exec(text)
  const bytes = Math.round(Number(parts?.[1]) * (units[(parts?.[2] ?? '').toLowerCase()] ?? Number.NaN))
  if (!(bytes >= 1024)) {
    refuse(`"${text}" is not a speed`, 'Give bytes per second, at least 1k, such as "500k" or "2M".')
  }
  return bytes
}

function headers(lines: readonly string[]): Headers {
  return checkHeaders(
    lines.map((line) => {
      const colon = line.indexOf(':')
      if (colon < 1) refuse(`"${line}" is not a header`, 'Give it as --header "Name: value".')
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    }),
  )
}

const hexLengths: Readonly<Record<string, number>> = {
  md5: 32,
  sha1: 40,
  sha256: 64,
  sha384: 96,
  sha512: 128,
}

function checksum(text: string): string {
  const [algorithm = '', hex = ''] = text.trim().toLowerCase().split(':')
  const length = hexLengths[algorithm.replace(/^sha-/, 'sha')]
  if (length === undefined || hex.length !== length || !/^[0-9a-f]*$/.test(hex)) {
    refuse(`"${text}" is not a checksum`, 'Give it as algorithm:hex, such as "sha256:" and 64 digits.')
  }
  return text
}

function checkProxy(text: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  const kinds = ['http:', 'https:', 'socks5:', 'socks5h:']
  if (url === null || url.hostname === '' || !kinds.includes(url.protocol)) {
    refuse('The proxy is not an address', 'Give it as http://host:port or socks5://host:port.')
  }
  return text
}

/** The beginning of a text file, more than any that is taken may have. @throws SluiceError `INVALID_INPUT` */
export function textOf(path: string, what: string, hint: string): string {
  try {
    // a character has at most four bytes: what is longer need not be read to be refused
    return readFileSync(path)
      .subarray(0, maxCookiesFileLength * 4 + 1)
      .toString('utf8')
  } catch (cause) {
    throw new SluiceError('INVALID_INPUT', `The ${what} "${path}" cannot be read`, { hint, cause })
  }
}

function accessOf(raw: RawDownloadOptions): AddOptions['access'] {
  const { cookies, insecure, leaveHttps } = raw
  if (cookies === undefined && insecure === undefined && leaveHttps === undefined) return undefined
  return {
    ...(leaveHttps === true ? { mayLeaveHttps: true } : {}),
    ...(insecure === undefined ? {} : { uncheckedHosts: insecure.map((host) => host.toLowerCase()) }),
    ...(cookies === undefined
      ? {}
      : {
          cookies: parseCookiesFile(
            textOf(cookies, 'cookie file', 'Give a file in the Netscape format (cookies.txt).'),
            Date.now(),
          ),
        }),
  }
}

/** What is said about a download apart from its links, folder and name. */
export function downloadOptions(
  raw: RawDownloadOptions,
): Pick<AddOptions, 'headers' | 'checksum' | 'proxy' | 'direct' | 'access'> {
  if (raw.format !== undefined || raw.audioOnly === true) {
    throw new SluiceError('UNSUPPORTED', 'Formats cannot be chosen yet', {
      hint: 'Leave --format and --audio-only out: the file is taken as the link gives it.',
    })
  }
  const access = accessOf(raw)
  return {
    ...(raw.header === undefined ? {} : { headers: headers(raw.header) }),
    ...(raw.checksum === undefined ? {} : { checksum: checksum(raw.checksum) }),
    ...(raw.proxy === undefined ? {} : { proxy: checkProxy(raw.proxy) }),
    ...(raw.direct === true ? { direct: true } : {}),
    ...(access === undefined ? {} : { access }),
  }
}

/** The link is named: among many it would not be found otherwise. */
function checkNamedLink(link: string): void {
  try {
    checkLink(link)
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    throw new SluiceError(error.code, `"${withoutUserInfo(link).slice(0, 200)}": ${error.message}`, {
      hint: error.hint,
      cause: error,
    })
  }
}

function netrcOf({ netrc, netrcFile }: RawDownloadOptions): string | null {
  if (netrc !== true && netrcFile === undefined) return null
  const hint = 'Name it with --netrc-file; --netrc alone means .netrc in your home folder.'
  return textOf(netrcFile ?? join(homedir(), '.netrc'), 'netrc file', hint)
}

/** The link with name and password of the netrc file, unless it has its own. */
function withCredentials(link: string, netrc: string): string {
  const url = URL.parse(link)
  if (url === null || url.username !== '' || url.password !== '') return link
  const found = netrcCredentials(netrc, url.hostname)
  if (found === null) return link
  url.username = encodeURIComponent(found.user)
  url.password = encodeURIComponent(found.password)
  return url.href
}

/**
 * The links that are meant: those given and those of the list, patterns expanded, each one once.
 * @throws SluiceError `INVALID_INPUT`, `UNSUPPORTED`
 */
export function linksOf(given: readonly string[], raw: RawDownloadOptions): Links {
  const { video, audio, inputFile } = raw
  const listed = inputFile === undefined ? [] : linksOfFile(inputFile)
  const links = [...new Set([...given, ...listed].flatMap(expandLinkPattern))]
  for (const link of [...links, video, audio]) if (link !== undefined) checkNamedLink(link)
  const netrc = netrcOf(raw)
  const own = (link: string): string => (netrc === null ? link : withCredentials(link, netrc))
  if (video !== undefined || audio !== undefined) {
    if (video === undefined || audio === undefined) {
      refuse('A pair needs both --video and --audio', 'Give the other link too, or the link alone.')
    }
    if (links.length > 0) refuse('A pair stands alone', 'Give other links in a command of their own.')
    return { kind: 'pair', video: own(video), audio: own(audio) }
  }
  if (links.length === 0) refuse('No link is given', 'Give a link, or a list of links with -i.')
  return { kind: 'links', links: links.map(own) }
}

/** The name of `-o`; what is for one file only is refused for several. */
export function nameOf(raw: RawDownloadOptions, links: Links): string | undefined {
  const isMany = links.kind === 'links' && links.links.length > 1
  if (raw.checksum !== undefined && isMany) {
    refuse('--checksum is for one file, but several links were given', 'Get the links one by one.')
  }
  if (raw.output === undefined) return undefined
  if (isMany) {
    refuse('-o names one file, but several links were given', 'Leave -o out, or get the links one by one.')
  }
  if (/[/\\]/.test(raw.output)) {
    refuse('-o takes a name, not a path', 'Choose the folder with -d and the name with -o.')
  }
  if (['', '.', '..'].includes(raw.output.trim()) || raw.output.length > 255) {
    refuse(`-o "${raw.output.slice(0, 40)}" is not a file name`, 'Give a name of 1 to 255 characters.')
  }
  return raw.output
}
