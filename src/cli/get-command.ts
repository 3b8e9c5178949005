/** `sluice get`: the task service for the length of one command. */
import { readdir, rm } from 'node:fs/promises'
import { NodeFileSystem } from '../adapters/file-system.ts'
import type { Client } from '../core/service.ts'
import type { CommandInput, CommandResult, Commands } from '../shared/contract/commands.ts'
import type { Events } from '../shared/contract/events.ts'
import type { ErrorRecord } from '../shared/errors.ts'
import { SluiceError } from '../shared/errors.ts'
import { isTerminal } from '../shared/task/derive.ts'
import type { ListQuery, TaskRow } from '../shared/view.ts'
import { composeCliHost } from './compose.ts'
import { databaseFolder } from './database-folder.ts'
import type { GetRequest } from './get-options.ts'
import { createReporter } from './reporters.ts'
import type { Reporter } from './reporters.ts'

/** Documented exit codes. */
export const exitCodes = { whole: 0, notWhole: 1, usage: 2, interrupted: 130 } as const

const page = 500
const graceMs = 5_000

/** One line on standard error: what happened, its code, and the next step. */
export function tellError(error: ErrorRecord, about = ''): void {
  const subject = about === '' ? '' : `${about}: `
  process.stderr.write(`sluice: ${subject}${error.message} (${error.code}). ${error.hint}\n`)
}

/** A command of the contract; its error is thrown. */
async function call<N extends keyof Commands>(
  client: Client,
  name: N,
  input: CommandInput<N>,
): Promise<CommandResult<N>> {
  const answer = await client.call(name, input)
  if (!answer.ok) throw SluiceError.fromRecord(answer.error)
  // the service answers each command with its own result: `CommandResult` is that table
  return answer.value as CommandResult<N>
}

async function allRows(client: Client): Promise<TaskRow[]> {
  const query: ListQuery = {
    filter: 'all',
    search: '',
    sort: 'created',
    order: 'asc',
    offset: 0,
    limit: page,
  }
  const rows: TaskRow[] = []
  for (;;) {
    const window = await call(client, 'list.query', { ...query, offset: rows.length })
    rows.push(...window.rows)
    if (window.rows.length === 0 || rows.length >= window.total) return rows
  }
}

/** Keeps the reporter told of the tasks that the list shows first: what runs and what comes next. */
class Watch {
  readonly #rows = new Map<string, TaskRow>()
  readonly #reporter: Reporter

  constructor(reporter: Reporter) {
    this.#reporter = reporter
  }

  add(rows: readonly TaskRow[]): void {
    for (const row of rows) this.#tell(row)
  }

  patch(patches: Events['tasks.changed']['patches']): void {
    for (const patch of patches) {
      const row = this.#rows.get(patch.id)
      if (row !== undefined) this.#tell(Object.assign({}, row, patch))
    }
  }

  #tell(row: TaskRow): void {
    this.#rows.set(row.id, row)
    this.#reporter.changed(row)
  }
}

function addInput(request: GetRequest): CommandInput<'tasks.add'> {
  const { links, options } = request
  return links.kind === 'pair'
    ? { pair: { video: links.video, audio: links.audio }, options }
    : { links: links.links, options }
}

/** Adds what is asked for the first time; what an earlier run left is restarted. Returns how many were refused. */
async function addOrGoOn(client: Client, request: GetRequest): Promise<number> {
  const known = await allRows(client)
  if (known.length > 0) {
    const ids = known.filter((row) => row.state === 'PAUSED' || row.state === 'FAILED').map((row) => row.id)
    if (ids.length > 0) await call(client, 'tasks.restart', { ids })
    return 0
  }
  const { results } = await call(client, 'tasks.add', addInput(request))
  const refused = results.filter((result) => result.kind === 'refused')
  for (const { link, error } of refused) tellError(error, link)
  return refused.length
}

/** The sentence for each task that is not whole; returns how many there are. */
function tellWhatIsNotWhole(rows: readonly TaskRow[]): number {
  const notWhole = rows.filter((row) => row.state !== 'COMPLETED')
  for (const row of notWhole) {
    const error = row.pause !== null && 'error' in row.pause ? row.pause.error : row.error
    tellError(error ?? new SluiceError('DOWNLOAD_ERROR', 'It did not complete').toRecord(), row.title)
  }
  if (notWhole.some((row) => !isTerminal(row.state))) {
    process.stderr.write('sluice: what arrived is kept; the same command goes on.\n')
  }
  return notWhole.length
}

/** Removes the database when nothing is left that could be resumed. */
async function forget(dataFolder: string): Promise<void> {
  await rm(dataFolder, { recursive: true, force: true })
}

/** Resolves with the first interruption; a second one ends the process at once. */
function interruption(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    const interrupt = () => {
      resolve('interrupted')
      process.once('SIGINT', () => process.exit(exitCodes.interrupted))
    }
    process.once('SIGINT', interrupt)
    process.once('SIGTERM', interrupt)
  })
}

async function hasFolder(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  )
}

/**
 * Carries out a request and answers with the exit code.
 * @throws SluiceError before anything was added: the folder cannot be written, or the same command is running
 */
export async function runGet(request: GetRequest): Promise<number> {
  const interrupted = interruption()
  await new NodeFileSystem().ensureFolder(request.folder)
  const dataFolder = databaseFolder(request)
  const isNew = !(await hasFolder(dataFolder))
  const host = await composeCliHost({ dataFolder, downloadFolder: request.folder })
  const reporter = createReporter(request.output, process.stdout)
  const watch = new Watch(reporter)
  const client = host.service.connect((name, event) => {
    if (name === 'list.window' && 'rows' in event) watch.add(event.rows)
    if (name === 'tasks.changed' && 'patches' in event) watch.patch(event.patches)
  })
  try {
    // before anything starts: how many may run is a matter of this command
    await call(client, 'settings.set', { maxConcurrentTasks: request.tasksAtOnce })
    await host.service.start()
    await client.watchList({ filter: 'all', search: '', sort: 'queue', order: 'asc', offset: 0, limit: page })
    const refused = await addOrGoOn(client, request)
    const how = await Promise.race([interrupted, host.service.whenIdle()])
    const rows = await allRows(client)
    watch.add(rows)
    reporter.end()
    if (how === 'interrupted') {
      await host.close(graceMs)
      process.stderr.write('sluice: interrupted. What arrived is kept; the same command goes on.\n')
      return exitCodes.interrupted
    }
    const notWhole = tellWhatIsNotWhole(rows) + refused
    await host.close(graceMs)
    if (rows.every((row) => isTerminal(row.state))) await forget(dataFolder)
    return notWhole === 0 ? exitCodes.whole : exitCodes.notWhole
  } catch (error) {
    reporter.end()
    await host.close(0)
    if (isNew) await forget(dataFolder)
    throw error
  }
}
