/** `sluice get`: the task service for the length of one command. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { NodeFileSystem } from '../adapters/file-system.ts'
import type { CommandInput } from '../shared/contract/commands.ts'
import { defaultSettings } from '../shared/default-settings.ts'
import type { ErrorRecord } from '../shared/errors.ts'
import { SluiceError } from '../shared/errors.ts'
import type { Settings } from '../shared/settings.ts'
import { isTerminal } from '../shared/task/derive.ts'
import type { TaskRow } from '../shared/view.ts'
import type { CliHost } from './compose.ts'
import { composeCliHost } from './compose.ts'
import { databaseFolder } from './database-folder.ts'
import type { Links } from './download-options.ts'
import { exitCodes } from './exit-codes.ts'
import type { GetRequest } from './get-options.ts'
import { interruption } from './interruption.ts'
import { missingFolders, removeEmpty } from './made-folders.ts'
import { missingLinks } from './missing-links.ts'
import { createReporter } from './reporters.ts'
import { TaskWatch } from './task-watch.ts'
import { faultTeller, tellError } from './tell-error.ts'

const graceMs = 5_000
const linksPerCall = 10_000

function settingsFor(request: GetRequest): Settings {
  const settings = defaultSettings(request.folder)
  return {
    ...settings,
    maxConcurrentTasks: request.tasksAtOnce,
    connectionsPerTask: request.connections ?? settings.connectionsPerTask,
    speedLimitBytesPerSecond: request.bytesPerSecond,
    certificateFile: request.certificateFile,
    // room that stays free is for those who let a queue run: here a person asks for these files, on this drive
    reservedSpaceBytes: 0,
  }
}

/** @throws SluiceError `CONFLICT`: the same command is at work */
async function takeDatabase(dataFolder: string, request: GetRequest, isNew: boolean): Promise<CliHost> {
  try {
    const { links } = request
    return await composeCliHost({
      dataFolder,
      settings: settingsFor(request),
      joins: links.kind === 'pair',
      onFault: faultTeller(),
    })
  } catch (error) {
    const isTaken = error instanceof SluiceError && error.code === 'CONFLICT'
    if (isNew && !isTaken) await rm(dataFolder, { recursive: true, force: true })
    if (!isTaken) throw error
    throw new SluiceError('CONFLICT', 'The same command is at work already', {
      hint: 'Wait for its end, or stop it first.',
      cause: error,
    })
  }
}

/** Removes the database while it is still ours: the same command may begin the moment it is free. */
async function forget(dataFolder: string, host: CliHost): Promise<void> {
  // Windows removes no file that is open
  if (process.platform === 'win32') host.release()
  await rm(dataFolder, { recursive: true, force: true })
}

function* addInputs(links: Links, { options, folder }: GetRequest): Generator<CommandInput<'tasks.add'>> {
  const all = { ...options, folder }
  if (links.kind === 'pair') {
    yield { pair: { video: links.video, audio: links.audio }, options: all }
    return
  }
  for (let start = 0; start < links.links.length; start += linksPerCall) {
    yield { links: links.links.slice(start, start + linksPerCall), options: all }
  }
}

/** What an earlier run of the same command left goes on; a whole file that is gone since is fetched again. */
async function goOn(watch: TaskWatch, known: readonly TaskRow[]): Promise<void> {
  const resting = known.filter((row) => row.state === 'PAUSED' || row.state === 'FAILED')
  const gone = known.filter(
    (row) => row.state === 'COMPLETED' && !row.outputs.every((path) => existsSync(path)),
  )
  if (resting.length > 0) await watch.call('tasks.restart', { ids: resting.map((row) => row.id) })
  if (gone.length > 0) await watch.call('tasks.redownload', { ids: gone.map((row) => row.id) })
}

/** What is asked for and has no task: all at first, the rest when an earlier run was ended while it added them. */
async function linksToAdd(watch: TaskWatch, links: Links, known: readonly TaskRow[]): Promise<Links | null> {
  if (known.length === 0) return links
  if (links.kind === 'pair' || known.length >= links.links.length) return null
  const urls: string[] = []
  for (const { id } of known) {
    const { parameters } = await watch.call('tasks.details', { id })
    if (parameters.link.kind === 'single') urls.push(parameters.link.url)
  }
  return { ...links, links: missingLinks(links.links, urls) }
}

/** Adds links. Returns how many were refused. */
async function addAll(watch: TaskWatch, links: Links, request: GetRequest): Promise<number> {
  let refused = 0
  for (const input of addInputs(links, request)) {
    const { results } = await watch.call('tasks.add', input)
    for (const result of results) {
      if (result.kind === 'added') continue
      tellError(result.error, result.link)
      refused++
    }
  }
  return refused
}

function errorOf(row: TaskRow): ErrorRecord {
  const paused = row.pause !== null && 'error' in row.pause ? row.pause.error : null
  return (
    paused ??
    row.error ??
    row.blockedBy ??
    new SluiceError('DOWNLOAD_ERROR', 'It did not complete').toRecord()
  )
}

const goesOn = 'The same command goes on.'

/** Something arrived that a further run of the same command builds on. */
function isResumable(row: TaskRow): boolean {
  return !isTerminal(row.state) || row.pieces.some((piece) => piece.state === 'COMPLETED')
}

/** A line for each task that is not whole, and the sum when there were several. */
function tellWhatIsNotWhole(rows: readonly TaskRow[]): void {
  const notWhole = rows.filter((row) => row.state !== 'COMPLETED')
  for (const row of notWhole) tellError(errorOf(row), row.title, isResumable(row) ? goesOn : '')
  if (notWhole.length === 0 || rows.length === 1) return
  process.stderr.write(
    `sluice: ${rows.length - notWhole.length} of ${rows.length} files are whole; the same command tries the others again.\n`,
  )
}

/** With nothing to go on with, nothing is left beside the files. Returns whether that is so. */
async function tidy(watch: TaskWatch, rows: readonly TaskRow[]): Promise<boolean> {
  if (rows.every((row) => row.state === 'COMPLETED')) return true
  if (rows.some((row) => row.state === 'COMPLETED' || isResumable(row))) return false
  const target = { ids: rows.map((row) => row.id) }
  await watch.call('tasks.delete', { target, deleteFiles: false, undoable: false })
  return true
}

/** Runs the tasks to their end, or to the first Ctrl+C. */
async function carryOut(
  host: CliHost,
  request: GetRequest,
  interrupted: Promise<'interrupted'>,
): Promise<{ code: number; isOver: boolean }> {
  const reporter = createReporter(request.output, process.stdout)
  const watch = new TaskWatch(host.service, reporter)
  try {
    await host.service.start()
    if (request.output !== 'quiet') await watch.follow()
    const known = await watch.allRows()
    const toAdd = await linksToAdd(watch, request.links, known)
    if (known.length > 0) await goOn(watch, known)
    const refused = toAdd === null ? 0 : await addAll(watch, toAdd, request)
    const how = await Promise.race([interrupted, host.service.whenIdle()])
    if (request.output === 'quiet' && how !== 'interrupted' && (await watch.isAllComplete())) {
      return { code: refused === 0 ? exitCodes.whole : exitCodes.notWhole, isOver: true }
    }
    const rows = await watch.allRows()
    watch.tell(rows)
    reporter.end()
    if (how === 'interrupted') {
      process.stderr.write(`sluice: interrupted. What arrived is kept. ${goesOn}\n`)
      return { code: exitCodes.interrupted, isOver: false }
    }
    tellWhatIsNotWhole(rows)
    const isWhole = refused === 0 && rows.every((row) => row.state === 'COMPLETED')
    return { code: isWhole ? exitCodes.whole : exitCodes.notWhole, isOver: await tidy(watch, rows) }
  } finally {
    reporter.end()
    watch.close()
    await host.service.stop(graceMs)
  }
}

/**
 * Carries out a request and answers with the exit code.
 * @throws SluiceError when nothing could be begun: the folder cannot be written, or the same command is at work
 */
export async function runGet(request: GetRequest): Promise<number> {
  const interrupted = interruption()
  const made = await missingFolders(request.folder)
  const dataFolder = databaseFolder(request)
  const isNew = !existsSync(dataFolder)
  try {
    await new NodeFileSystem().ensureFolder(request.folder)
    const host = await takeDatabase(dataFolder, request, isNew)
    try {
      const { code, isOver } = await carryOut(host, request, interrupted)
      if (isOver) await forget(dataFolder, host)
      return code
    } catch (error) {
      if (isNew) await forget(dataFolder, host)
      throw error
    } finally {
      host.release()
    }
  } finally {
    await removeEmpty(made)
  }
}
