/** What `sluice get` was asked for, checked before anything is touched. */
import { resolve } from 'node:path'
import type { AddOptions } from '../shared/contract/commands.ts'
import { SluiceError } from '../shared/errors.ts'
import { checkLink } from '../shared/link.ts'
import { checkHeaders } from '../shared/request-headers.ts'
import type { Headers } from '../shared/task/model.ts'
import { linksOfFile } from './link-list.ts'
import type { ReporterKind } from './reporters.ts'

/** The options as commander gives them. */
export interface RawGetOptions {
  video?: string
  audio?: string
  dir?: string
  output?: string
  connections?: string
  jobs?: string
  inputFile?: string
  header?: string[]
  limit?: string
  proxy?: string
  checksum?: string
  direct?: boolean
  json?: boolean
  quiet?: boolean
}

export interface GetRequest {
  links: { kind: 'links'; links: string[] } | { kind: 'pair'; video: string; audio: string }
  /** absolute */
  folder: string
  options: Omit<AddOptions, 'folder' | 'connections' | 'speedLimitBytesPerSecond'>
  tasksAtOnce: number
  /** per file; null: as the settings say */
  connections: number | null
  /** over all files; 0 is none */
  bytesPerSecond: number
  output: ReporterKind
}

function refuse(message: string, hint: string): never {
  throw new SluiceError('INVALID_INPUT', message, { hint })
}

function wholeNumber(text: string, name: string, least: number, most: number): number {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < least || value > most) {
    refuse(`${name} takes a whole number from ${least} to ${most}, not "${text}"`, 'See "sluice get --help".')
  }
  return value
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** `500k`, `2M`, `1500000`: bytes per second. */
function speedLimit(text: string): number {
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

/** The link is named: among many it would not be found otherwise. */
function checkNamedLink(link: string): void {
  try {
    checkLink(link)
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    throw new SluiceError(error.code, `"${link.slice(0, 200)}": ${error.message}`, {
      hint: error.hint,
      cause: error,
    })
  }
}

function linksOf(given: readonly string[], raw: RawGetOptions): GetRequest['links'] {
  const { video, audio, inputFile } = raw
  const listed = inputFile === undefined ? [] : linksOfFile(inputFile)
  const links = [...new Set([...given, ...listed])]
  for (const link of [...links, video, audio]) if (link !== undefined) checkNamedLink(link)
  if (video !== undefined || audio !== undefined) {
    if (video === undefined || audio === undefined) {
      refuse('A pair needs both --video and --audio', 'Give the other link too, or the link alone.')
    }
    if (links.length > 0) refuse('A pair stands alone', 'Give other links in a command of their own.')
    return { kind: 'pair', video, audio }
  }
  if (links.length === 0) refuse('No link was given', 'Give at least one: sluice get https://…')
  return { kind: 'links', links }
}

function nameOf(raw: RawGetOptions, links: GetRequest['links']): string | undefined {
  if (raw.output === undefined) return undefined
  if (links.kind === 'links' && links.links.length > 1) {
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

function outputOf(raw: RawGetOptions, isTerminal: boolean): ReporterKind {
  if (raw.quiet === true && raw.json === true)
    refuse('-q and --json exclude each other', 'Leave one of them out.')
  if (raw.quiet === true) return 'quiet'
  if (raw.json === true) return 'json'
  return isTerminal ? 'bars' : 'lines'
}

/**
 * Checks the command line.
 * @throws SluiceError `INVALID_INPUT`, `UNSUPPORTED`: bad usage, nothing was touched
 */
export function readGetRequest(
  given: readonly string[],
  raw: RawGetOptions,
  isTerminal: boolean,
): GetRequest {
  const links = linksOf(given, raw)
  const name = nameOf(raw, links)
  if (raw.checksum !== undefined && links.kind === 'links' && links.links.length > 1) {
    refuse('--checksum is for one file, but several links were given', 'Get the links one by one.')
  }
  return {
    links,
    folder: resolve(raw.dir ?? '.'),
    options: {
      ...(name === undefined ? {} : { name }),
      ...(raw.header === undefined ? {} : { headers: headers(raw.header) }),
      ...(raw.checksum === undefined ? {} : { checksum: checksum(raw.checksum) }),
      ...(raw.proxy === undefined ? {} : { proxy: checkProxy(raw.proxy) }),
      ...(raw.direct === true ? { direct: true } : {}),
    },
    tasksAtOnce: raw.jobs === undefined ? 3 : wholeNumber(raw.jobs, '-j', 1, 20),
    connections: raw.connections === undefined ? null : wholeNumber(raw.connections, '-x', 1, 16),
    bytesPerSecond: raw.limit === undefined ? 0 : speedLimit(raw.limit),
    output: outputOf(raw, isTerminal),
  }
}
