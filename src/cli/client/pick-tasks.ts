/** Which tasks a command is about: by the beginning of an id, as `sluice list` shows it, or by their state. */
import { SluiceError } from '../../shared/errors.ts'
import type { TaskState } from '../../shared/task/model.ts'
import type { ListQuery, TaskRow } from '../../shared/view.ts'
import type { HostClient } from './host-client.ts'

const page = 500
/** Fewer characters would be a guess. */
const shortestPrefix = 4
/** Characters of an id that are shown at least. */
const shownLength = 8

/** All tasks that fit, in the order of the query, page by page. */
export async function readRows(
  host: Pick<HostClient, 'call'>,
  query: Partial<Omit<ListQuery, 'offset' | 'limit'>> = {},
  most = Infinity,
): Promise<TaskRow[]> {
  const rows: TaskRow[] = []
  const all = { filter: 'all', search: '', sort: 'queue', order: 'asc' } as const
  while (rows.length < most) {
    const limit = Math.min(page, most - rows.length)
    const window = await host.call('list.query', { ...all, ...query, offset: rows.length, limit })
    rows.push(...window.rows)
    if (window.rows.length < limit) break
  }
  return rows
}

/**
 * The tasks with these ids, or with ids that begin so; those of jobs count too.
 * @throws SluiceError `JOB_NOT_FOUND`; `INVALID_INPUT` for what names several or is too short
 */
export async function pickTasks(
  host: Pick<HostClient, 'call'>,
  wanted: readonly string[],
): Promise<TaskRow[]> {
  const rows = await readRows(host)
  return [...new Set(wanted.map((prefix) => pickOne(prefix, rows)))]
}

function pickOne(prefix: string, rows: readonly TaskRow[]): TaskRow {
  if (prefix.length < shortestPrefix) {
    throw new SluiceError('INVALID_INPUT', `"${prefix}" is too short for an id`, {
      hint: `Give at least ${shortestPrefix} characters of it.`,
    })
  }
  const fitting = rows.filter(({ id, jobId }) => id.startsWith(prefix) || jobId.startsWith(prefix))
  const [only] = fitting
  if (only === undefined) {
    throw new SluiceError('JOB_NOT_FOUND', `No download has the id "${prefix}"`, {
      hint: 'See "sluice list" for the ids.',
    })
  }
  if (fitting.length > 1) {
    throw new SluiceError(
      'INVALID_INPUT',
      `${fitting.length} downloads have ids that begin with "${prefix}"`,
      {
        hint: 'Give more of it.',
      },
    )
  }
  return only
}

/** The tasks in these states; those that wait come first, so that none takes the place of one that stops. */
export async function tasksIn(
  host: Pick<HostClient, 'call'>,
  states: readonly TaskState[],
): Promise<TaskRow[]> {
  const rows = await readRows(host)
  return states.flatMap((state) => rows.filter((row) => row.state === state))
}

/** How many characters of the ids tell these tasks apart, 8 at least. */
export function idLengthFor(rows: readonly Pick<TaskRow, 'id'>[]): number {
  const longest = Math.max(shownLength, ...rows.map(({ id }) => id.length))
  for (let length = shownLength; length < longest; length++) {
    if (new Set(rows.map(({ id }) => id.slice(0, length))).size === rows.length) return length
  }
  return longest
}
