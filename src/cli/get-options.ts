/** What `sluice get` was asked for, checked before anything is touched. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AddOptions } from '../shared/contract/commands.ts'
import { SluiceError } from '../shared/errors.ts'
import { checkLink } from '../shared/link.ts'
import type { Headers } from '../shared/task/model.ts'

/** The options as commander gives them. */
export interface RawGetOptions {
  video?: string
  audio?: string
  dir?: string
  output?: string
  connections?: string
  jobs?: string
  inputFile?: string
  header: string[]
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
  options: AddOptions
  tasksAtOnce: number
  output: 'bars' | 'lines' | 'json' | 'quiet'
}

function refuse(message: string, hint: string): never {
  throw new SluiceError('INVALID_INPUT', message, { hint })
}

function wholeNumber(text: string, name: string, least: number, most: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most) {
    refuse(`${name} takes a whole number from ${least} to ${most}, not "${text}"`, 'See "sluice get --help".')
  }
  return value
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** `500k`, `2M`, `1500000`: bytes per second. */
function speedLimit(text: string): number {
  const parts = /^(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?(?:\/s)?$/i.exec(text)
  const bytes = Math.round(Number(parts?.[1]) * (units[(parts?.[2] ?? '').toLowerCase()] ?? Number.NaN))
  if (!(bytes >= 1024)) {
    refuse(`"${text}" is not a speed`, 'Give bytes per second, at least 1k, such as "500k" or "2M".')
  }
  return bytes
}

function headers(lines: readonly string[]): Headers {
  return lines.map((line) => {
    const colon = line.indexOf(':')
    if (colon < 1) refuse(`"${line}" is not a header`, 'Give it as --header "Name: value".')
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
  })
}

/** One link per line; empty lines and lines that begin with # are passed over. `-` reads standard input. */
function linksOfFile(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (error) {
    throw new SluiceError('INVALID_INPUT', `The list "${path}" cannot be read`, {
      hint: 'Give the path of a text file with one link per line.',
      cause: error,
    })
  }
  const links = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (links.length === 0) refuse(`The list "${path}" holds no link`, 'Write one link per line.')
  return links
}

function linksOf(given: readonly string[], raw: RawGetOptions): GetRequest['links'] {
  const { video, audio, inputFile } = raw
  const listed = inputFile === undefined ? [] : linksOfFile(inputFile)
  const links = [...given, ...listed]
  if (video !== undefined || audio !== undefined) {
    if (video === undefined || audio === undefined) {
      refuse('A pair needs both --video and --audio', 'Give the other link too, or the link alone.')
    }
    if (links.length > 0) refuse('A pair stands alone', 'Give other links in a command of their own.')
    return { kind: 'pair', video, audio }
  }
  if (links.length === 0) refuse('No link was given', 'Give at least one: sluice get https://…')
  return { kind: 'links', links: [...new Set(links)] }
}

function nameOf(raw: RawGetOptions, links: GetRequest['links']): string | undefined {
  if (raw.output === undefined) return undefined
  if (links.kind === 'links' && links.links.length > 1) {
    refuse('-o names one file, but several links were given', 'Leave -o out, or get the links one by one.')
  }
  if (/[/\\]/.test(raw.output)) {
    refuse('-o takes a name, not a path', 'Choose the folder with -d and the name with -o.')
  }
  return raw.output
}

/**
 * Checks the command line.
 * @throws SluiceError `INVALID_INPUT`, `UNSUPPORTED`: bad usage, nothing was touched
 */
export function readGetRequest(given: readonly string[], raw: RawGetOptions, terminal: boolean): GetRequest {
  const links = linksOf(given, raw)
  for (const link of links.kind === 'pair' ? [links.video, links.audio] : links.links) checkLink(link)
  const name = nameOf(raw, links)
  const folder = resolve(raw.dir ?? '.')
  const options: AddOptions = {
    folder,
    ...(name === undefined ? {} : { name }),
    ...(raw.header.length === 0 ? {} : { headers: headers(raw.header) }),
    ...(raw.connections === undefined ? {} : { connections: wholeNumber(raw.connections, '-x', 1, 16) }),
    ...(raw.limit === undefined ? {} : { speedLimitBytesPerSecond: speedLimit(raw.limit) }),
    ...(raw.checksum === undefined ? {} : { checksum: raw.checksum }),
    ...(raw.proxy === undefined ? {} : { proxy: raw.proxy }),
    ...(raw.direct === true ? { direct: true } : {}),
  }
  const output = raw.quiet === true ? 'quiet' : raw.json === true ? 'json' : terminal ? 'bars' : 'lines'
  return { links, folder, options, tasksAtOnce: wholeNumber(raw.jobs ?? '3', '-j', 1, 20), output }
}
