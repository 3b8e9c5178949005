/** Looking at a running host: `list`, `show`, `status`, `history`. */
import { exitCodes } from '../exit-codes.ts'
import { lookFor } from '../reporters.ts'
import { happening, size } from '../words.ts'
import type { ListFilter, ListQuery, TaskDetails, TaskRow } from '../../shared/view.ts'
import type { Job } from '../../shared/task/model.ts'
import { connectClient, sayJson, sayLine } from './client.ts'
import type { ClientOptions } from './client.ts'
import { pickTasks, readRows } from './pick-tasks.ts'
import { taskTable } from './task-table.ts'

export const sortFields = ['queue', 'created', 'title', 'size', 'progress', 'state', 'finished'] as const
export const stateFilters = ['running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'] as const

export interface ListOptions extends ClientOptions {
  state?: (typeof stateFilters)[number]
  search?: string
  sort?: ListQuery['sort']
  reverse?: boolean
  limit?: number
}

/** Terminals that say nothing, or nonsense, of their width are taken as this narrow. */
const narrowest = 40

/** The host has no filter of its own for cancelled ones. */
const filterOf = (state: ListOptions['state']): ListFilter =>
  state === undefined || state === 'cancelled' ? 'all' : state

export async function runList(options: ListOptions): Promise<number> {
  const { host, json } = await connectClient(options)
  const query = {
    filter: filterOf(options.state),
    search: options.search ?? '',
    sort: options.sort ?? 'queue',
    order: options.reverse === true ? 'desc' : 'asc',
  } as const
  const most = options.limit ?? Infinity
  const isPicked = options.state === 'cancelled'
  const all = await readRows(host, query, isPicked ? Infinity : most)
  const rows = isPicked ? all.filter((row) => row.state === 'CANCELLED').slice(0, most) : all
  if (json) for (const row of rows) sayJson(row)
  else if (rows.length === 0) sayLine('No downloads.')
  else sayTable(rows)
  return exitCodes.whole
}

function sayTable(rows: readonly TaskRow[]): void {
  const { isTTY, columns } = process.stdout
  const isTerminal = isTTY && process.env['TERM'] !== 'dumb'
  const look = { color: isTerminal && lookFor(process.env).color }
  for (const line of taskTable(rows, isTerminal ? Math.max(narrowest, columns) - 1 : null, look))
    process.stdout.write(`${line}\n`)
}

export async function runShow(ids: readonly string[], options: ClientOptions): Promise<number> {
  const { host, json } = await connectClient(options)
  for (const { id } of await pickTasks(host, ids)) {
    const details = await host.call('tasks.details', { id })
    if (json) sayJson(details)
    else for (const line of detailLines(details)) sayLine(line)
  }
  return exitCodes.whole
}

function detailLines({ row, parameters, files, attempts }: TaskDetails): string[] {
  const { link } = parameters
  const error = row.pause !== null && 'error' in row.pause ? row.pause.error : (row.error ?? row.blockedBy)
  const done = row.size === null ? size(row.doneBytes) : `${size(row.doneBytes)} of ${size(row.size)}`
  const state = `${row.state.toLowerCase()}${row.pause === null ? '' : ` (${row.pause.kind})`}`
  const facts: [string, string][] = [
    ['id', row.id],
    ['job', row.jobId],
    ['state', row.state === 'RUNNING' ? `${state}, ${happening(row)}` : state],
    ...(error === null
      ? []
      : [['why', `${error.message} (${error.code}). ${error.hint}`] satisfies [string, string]]),
    ['done', `${Math.floor(row.progress)}%, ${done}`],
    ...(row.bytesPerSecond > 0
      ? [['speed', `${size(row.bytesPerSecond)}/s`] satisfies [string, string]]
      : []),
    ...(link.kind === 'single'
      ? [['link', link.url] satisfies [string, string]]
      : ([
          ['video', link.video],
          ['audio', link.audio],
        ] satisfies [string, string][])),
    ['folder', row.folder],
    ...row.outputs.map((path): [string, string] => ['file', path]),
    ...files.map(({ name, selected, progress }): [string, string] => [
      'part',
      `${name}, ${selected ? `${Math.floor(progress)}%` : 'not chosen'}`,
    ]),
    ['attempts', String(attempts.length)],
  ]
  return [row.title, ...facts.map(([name, value]) => `  ${name.padEnd(9)} ${value}`)]
}

export async function runStatus(options: ClientOptions): Promise<number> {
  const { host, found, json } = await connectClient(options)
  const { version, host: kind, ffmpeg } = await host.call('app.info', {})
  const { counts } = await host.call('list.query', {
    ...{ filter: 'all', search: '', sort: 'queue', order: 'asc', offset: 0, limit: 1 },
  })
  const { pid, host: name, port } = found.address
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}/`
  if (json) {
    sayJson({ version, kind, address, pid, dataFolder: found.dataFolder, counts, ffmpeg })
    return exitCodes.whole
  }
  sayLine(
    `Sluice ${version} (${kind === 'electron' ? 'the app' : 'the server'}, process ${pid}) at ${address}`,
  )
  sayLine(`data folder: ${found.dataFolder}`)
  sayLine(
    `FFmpeg: ${ffmpeg === null ? 'none; what it is needed for is told' : `${ffmpeg.version}, ${ffmpeg.path}`}`,
  )
  const words = (['running', 'waiting', 'paused', 'completed', 'failed'] as const).map(
    (state) => `${counts[state]} ${state}`,
  )
  sayLine(`downloads: ${words.join(', ')}`)
  return exitCodes.whole
}

export interface HistoryOptions extends ClientOptions {
  limit?: number
  service?: string
  forget?: string[]
}

export async function runHistory(options: HistoryOptions): Promise<number> {
  const { host, json } = await connectClient(options)
  if (options.forget !== undefined) {
    for (const jobId of options.forget) await host.call('history.remove', { jobId })
    return exitCodes.whole
  }
  const { entries } = await host.call('history.list', {
    limit: options.limit ?? 100,
    ...(options.service === undefined ? {} : { service: options.service }),
  })
  if (json) for (const entry of entries) sayJson(entry)
  else if (entries.length === 0) sayLine('Nothing has ended yet.')
  else for (const entry of entries) sayLine(historyLine(entry))
  return exitCodes.whole
}

/** `2026-01-31 12:00  completed   12.4 MB  name  (job id)` */
function historyLine({ id, end }: Job): string {
  if (end === null) return id
  const when = new Date(end.at - new Date(end.at).getTimezoneOffset() * 60_000).toISOString()
  const parts = [
    when.slice(0, 16).replace('T', ' '),
    end.state.toLowerCase().padEnd(9),
    size(end.doneBytes).padStart(8),
  ]
  const why = end.error === null ? '' : ` ${end.error.code}`
  return [...parts, `${end.title}${why}`, `(${id})`].join('  ')
}
