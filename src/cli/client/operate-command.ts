/** Operations on downloads that are in the list: `pause`, `resume`, `cancel`, `remove`, `retry`, `redownload`, `move`. */
import type { OperationResult, Target } from '../../shared/contract/commands.ts'
import type { ErrorRecord } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { TaskState } from '../../shared/task/model.ts'
import type { TaskRow } from '../../shared/view.ts'
import { exitCodes } from '../exit-codes.ts'
import { codeAfter, connectClient, sayJson, sayLine } from './client.ts'
import type { ClientOptions } from './client.ts'
import type { HostClient } from './host-client.ts'
import { idLengthFor, pickTasks, tasksIn } from './pick-tasks.ts'

export interface Operation {
  /** what has been done to a download, as its line begins */
  done: string
  /** the same when there was nothing to do */
  already: string
  /** the states that `--all` is about, in the order in which they are worked on; none: there is no `--all` */
  all: readonly TaskState[]
  carryOut(host: HostClient, ids: string[], options: OperateOptions): Promise<OperationResult>
}

export interface OperateOptions extends ClientOptions {
  all?: boolean
  deleteFiles?: boolean
  front?: boolean
  back?: boolean
  before?: string
}

const over =
  (name: 'tasks.pause' | 'tasks.restart' | 'tasks.cancel' | 'tasks.redownload' | 'tasks.retryAsNew') =>
  (host: HostClient, ids: string[]): Promise<OperationResult> => {
    const target: Target = { ids }
    return host.call(name, target)
  }

/** Ids that the host takes at once. */
const idsPerCall = 5000

export const operations = {
  pause: {
    ...{ done: 'paused', already: 'paused already', all: ['WAITING', 'RUNNING'] },
    carryOut: over('tasks.pause'),
  },
  resume: {
    ...{ done: 'resumed', already: 'going on already', all: ['PAUSED'] },
    carryOut: over('tasks.restart'),
  },
  cancel: {
    ...{ done: 'cancelled', already: 'cancelled already', all: ['WAITING', 'PAUSED', 'RUNNING'] },
    carryOut: over('tasks.cancel'),
  },
  remove: {
    ...{ done: 'removed', already: 'removed already', all: [] },
    carryOut: (host, ids, { deleteFiles = false }) =>
      host.call('tasks.delete', { target: { ids }, deleteFiles, undoable: false }),
  },
  retry: {
    ...{ done: 'queued again', already: 'queued again', all: ['FAILED'] },
    carryOut: over('tasks.retryAsNew'),
  },
  redownload: {
    ...{ done: 'downloading anew', already: 'downloading anew', all: [] },
    carryOut: over('tasks.redownload'),
  },
  move: {
    ...{ done: 'moved', already: 'in its place', all: [] },
    carryOut: async (host, ids, options) =>
      host.call('tasks.move', { ids, before: await placeOf(host, options) }),
  },
} as const satisfies Record<string, Operation>

async function placeOf(host: HostClient, { front, back, before }: OperateOptions): Promise<string | null> {
  const given = [front === true, back === true, before !== undefined].filter(Boolean).length
  if (given !== 1) {
    throw new SluiceError('INVALID_INPUT', 'Say where to move it, once', {
      hint: 'Give --front, --back, or --before with an id.',
    })
  }
  if (before === undefined) return front === true ? 'front' : null
  const [row] = await pickTasks(host, [before])
  return row?.id ?? null
}

async function chosen(
  host: HostClient,
  operation: Operation,
  ids: readonly string[],
  options: OperateOptions,
): Promise<TaskRow[]> {
  const isAll = options.all === true
  if (isAll === ids.length > 0) {
    throw new SluiceError('INVALID_INPUT', 'It is not clear which downloads are meant', {
      hint: 'Give their ids (see "sluice list"), or --all where there is such an option; not both.',
    })
  }
  return isAll ? tasksIn(host, operation.all) : pickTasks(host, ids)
}

/** Carries an operation out and says what became of each download. The answer is the exit code. */
export async function runOperation(
  operation: Operation,
  ids: readonly string[],
  options: OperateOptions,
): Promise<number> {
  const { host, json } = await connectClient(options)
  const rows = await chosen(host, operation, ids, options)
  if (rows.length === 0 && !json) sayLine('Nothing to do.')
  const length = idLengthFor(rows)
  const refused: { about: string; error: ErrorRecord }[] = []
  for (let start = 0; start < rows.length; start += idsPerCall) {
    const some = rows.slice(start, start + idsPerCall)
    const { results } = await operation.carryOut(
      host,
      some.map(({ id }) => id),
      options,
    )
    for (const [index, result] of results.entries()) {
      // what is made anew (retry) stands in the list under an id of its own, but answers in the same order
      const about = `${result.id.slice(0, length)} ${some[index]?.title ?? ''}`
      if (json) sayJson(result)
      if (result.kind === 'refused') refused.push({ about, error: result.error })
      else if (!json) sayLine(`${result.changed ? operation.done : operation.already}: ${about}`)
    }
  }
  return codeAfter(refused)
}

/** `remove --finished`. */
export async function runClearFinished(options: ClientOptions): Promise<number> {
  const { host, json } = await connectClient(options)
  const { removed } = await host.call('tasks.clearFinished', {})
  if (json) sayJson({ removed })
  else sayLine(removed === 1 ? '1 download is removed' : `${removed} downloads are removed`)
  return exitCodes.whole
}
