/** What carries out each command of the contract. */
import type { CommandResult } from '../../shared/contract/commands.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings.ts'
import type { ListQuery, ListWindow, TaskRow } from '../../shared/view.ts'
import type { TaskStore } from '../ports.ts'
import type { Handlers } from './commands.ts'
import type { Gates } from './new-task.ts'
import { checkFolder } from './new-task.ts'
import type { PowerPlan } from './power-plan.ts'
import type { SettingsKeeper } from './settings-keeper.ts'
import type { TaskCommands } from './task-commands.ts'
import type { Watcher } from './watcher.ts'

export type AppInfo = CommandResult<'app.info'>

export interface HandlerParts {
  readonly tasks: TaskCommands
  readonly store: TaskStore
  readonly settings: SettingsKeeper
  readonly gates: Gates
  readonly power: PowerPlan
  window(query: ListQuery): Promise<{ window: ListWindow; rows: TaskRow[] }>
  info(): AppInfo
}

export function handlersFor(parts: HandlerParts): Handlers<Watcher> {
  const { tasks, store, settings } = parts
  return {
    'app.info': () => Promise.resolve(parts.info()),
    'tasks.add': (input) => tasks.add(input),
    'tasks.details': (input) => tasks.details(input),
    'tasks.rows': (input) => tasks.rows(input),
    'tasks.pause': (input) => tasks.pause(input),
    'tasks.restart': (input) => tasks.restart(input),
    'tasks.cancel': (input) => tasks.cancel(input),
    'tasks.delete': (input) => tasks.delete(input),
    'tasks.undoDelete': (input) => tasks.undoDelete(input),
    'tasks.redownload': (input) => tasks.redownload(input),
    'tasks.edit': (input) => tasks.edit(input),
    'tasks.previewEdit': (input, watcher) =>
      tasks.previewEdit(input, (id, cancel) => watcher.noteLookup(id, cancel)),
    'tasks.select': (input) => tasks.select(input),
    'tasks.review': (input) => tasks.review(input),
    'tasks.retrySkipped': (input) => tasks.retrySkipped(input),
    'tasks.retryAsNew': (input) => tasks.retryAsNew(input),
    'tasks.move': (input) => tasks.move(input),
    'tasks.startNow': (input) => tasks.startNow(input),
    'tasks.clearFinished': () => tasks.clearFinished(),
    'list.query': async (input, watcher) => {
      const { window, rows } = await parts.window(input)
      watcher.noteSent(rows)
      return { ...window, rows }
    },
    'history.list': async ({ limit, service }) => ({
      entries: await store.history({ limit, ...(service === undefined ? {} : { service }) }),
    }),
    'history.remove': async ({ jobId }) => {
      const job = await store.job(jobId)
      if (job === undefined) throw new SluiceError('JOB_NOT_FOUND', 'There is no such entry')
      if (job.end === null) throw new SluiceError('CONFLICT', 'This job has not ended')
      await store.commit([{ kind: 'remove-job', jobId }])
      return {}
    },
    'jobs.get': async ({ jobIds }) => {
      const jobs = await Promise.all(jobIds.map((jobId) => store.job(jobId)))
      return { jobs: jobs.filter((job) => job !== undefined) }
    },
    'links.lookup': (input, watcher) => tasks.lookup(input, (id, cancel) => watcher.noteLookup(id, cancel)),
    'links.cancelLookup': ({ lookupId }, watcher) =>
      Promise.resolve({ cancelled: watcher.cancelLookup(lookupId) }),
    'settings.get': () => Promise.resolve(settings.current),
    'power.get': () => Promise.resolve(parts.power.get()),
    'power.set': ({ action }) => Promise.resolve().then(() => parts.power.set(action)),
    'settings.set': (patch) => changeSettings(withoutUndefined(patch), parts),
  }
}

/** What the schema cannot know: whether a path is one, and whether this host may write there. */
async function changeSettings(patch: Partial<Settings>, parts: HandlerParts): Promise<Settings> {
  const { downloadFolder, ffmpegPath } = patch
  if (downloadFolder !== undefined) checkFolder(downloadFolder, parts.gates)
  if (ffmpegPath !== undefined && ffmpegPath !== '' && !parts.gates.isAbsolute(ffmpegPath)) {
    throw new SluiceError('INVALID_INPUT', 'The path of FFmpeg must be absolute, or empty', {
      details: { ffmpegPath },
    })
  }
  return parts.settings.change(patch)
}

function withoutUndefined(patch: { [K in keyof Settings]?: Settings[K] | undefined }): Partial<Settings> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
}
