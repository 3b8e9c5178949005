/** What `sluice get` was asked for, checked before anything is touched. */
import { resolve } from 'node:path'
import type { AddOptions } from '../shared/contract/commands.ts'
import type { Links, RawDownloadOptions } from './download-options.ts'
import {
  downloadOptions,
  linksOf,
  nameOf,
  refuse,
  speedLimit,
  textOf,
  wholeNumber,
} from './download-options.ts'
import type { ReporterKind } from './reporters.ts'

/** The options as commander gives them. */
export interface RawGetOptions extends RawDownloadOptions {
  jobs?: string
  caCertificate?: string
  json?: boolean
  quiet?: boolean
}

export interface GetRequest {
  links: Links
  /** absolute */
  folder: string
  options: Omit<AddOptions, 'folder' | 'connections' | 'speedLimitBytesPerSecond'>
  tasksAtOnce: number
  /** per file; null: as the settings say */
  connections: number | null
  /** over all files; 0 is none */
  bytesPerSecond: number
  /** absolute path of a PEM file with authorities to trust; '': none */
  certificateFile: string
  output: ReporterKind
}

function outputOf(raw: RawGetOptions, isTerminal: boolean): ReporterKind {
  if (raw.quiet === true && raw.json === true)
    refuse('-q and --json exclude each other', 'Leave one of them out.')
  if (raw.quiet === true) return 'quiet'
  if (raw.json === true) return 'json'
  return isTerminal ? 'bars' : 'lines'
}

function certificateFileOf({ caCertificate }: RawGetOptions): string {
  if (caCertificate === undefined) return ''
  const hint = 'Give a file in the PEM format.'
  const text = textOf(caCertificate, 'certificate file', hint)
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    refuse(`There is no certificate in "${caCertificate}"`, hint)
  }
  return resolve(caCertificate)
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
  return {
    links,
    folder: resolve(raw.dir ?? '.'),
    options: { ...(name === undefined ? {} : { name }), ...downloadOptions(raw) },
    tasksAtOnce: raw.jobs === undefined ? 3 : wholeNumber(raw.jobs, '-j', 1, 20),
    connections: raw.connections === undefined ? null : wholeNumber(raw.connections, '-x', 1, 16),
    bytesPerSecond: raw.limit === undefined ? 0 : speedLimit(raw.limit),
    certificateFile: certificateFileOf(raw),
    output: outputOf(raw, isTerminal),
  }
}
