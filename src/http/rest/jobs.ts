/** Finding jobs: one by its id, many by a query. The core knows tasks; a job is one life of a task. */
import { SluiceError } from '../../shared/errors.ts'
import type { OperationResult } from '../../shared/contract/commands.ts'
import type { Job } from '../../shared/task/model.ts'
import type { ListFilter, TaskRow } from '../../shared/view.ts'
import { endedSummary, fullView, statusOf, summaryOf } from './job-view.ts'
import type { RestContext } from './route.ts'
import type { JobsQuery, JobStatus, JobSummary, JobView } from './schemas.ts'

/** Tasks that are asked of the core at once. */
const pageSize = 500

/** A job, and the task's row when it is the task's current job. */
export interface FoundJob {
  job: Job
  /** null: the job is history */
  row: TaskRow | null
  supersededBy: string | null
}

/** @throws SluiceError `JOB_NOT_FOUND` */
export async function findJob(id: string, { call }: RestContext): Promise<FoundJob> {
  const { jobs } = await call('jobs.get', { jobIds: [id] })
  const [job] = jobs
  if (job === undefined) throw notFound()
  const { rows } = await call('tasks.rows', { ids: [job.taskId] })
  const [row] = rows
  if (row?.jobId === id) return { job, row, supersededBy: null }
  // a live job whose task is not shown is on its way out: for clients it is gone
  if (job.end === null) throw notFound()
  return { job, row: null, supersededBy: row?.jobId ?? null }
}

/** The task of a job that is current; what is history cannot be worked on. */
export async function findCurrent(id: string, context: RestContext): Promise<TaskRow> {
  const { row } = await findJob(id, context)
  if (row !== null) return row
  throw new SluiceError('CONFLICT', 'This job is history', {
    hint: 'Use the job that followed it (superseded_by), or retry this one as a new download.',
  })
}

export async function readJob(id: string, context: RestContext): Promise<JobView> {
  const { job, row, supersededBy } = await findJob(id, context)
  if (row === null) return fullView(endedSummary(job, supersededBy), null, undefined)
  return fullView(
    summaryOf(row, job),
    await context.call('tasks.details', { id: row.id }),
    context.workerOutput,
  )
}

/** The job after an operation on one task. @throws SluiceError what the core refused it with */
export function jobOf({ results }: OperationResult): string {
  const [result] = results
  if (result === undefined) throw notFound()
  if (result.kind === 'refused') throw SluiceError.fromRecord(result.error)
  return result.jobId
}

export async function listJobs(query: JobsQuery, context: RestContext): Promise<(JobSummary | JobView)[]> {
  const rows = (await pageOf(query, context)) ?? (await selectedRows(query, context))
  const summaries = await summariesOf(rows, context)
  if (query.full === 'false') return summaries
  return Promise.all(
    summaries.map(async (summary) =>
      fullView(summary, await context.call('tasks.details', { id: summary.task_id }), context.workerOutput),
    ),
  )
}

const coreFilters: Partial<Record<JobStatus, ListFilter>> = {
  downloading: 'running',
  completed: 'completed',
  failed: 'failed',
}
const coreSorts = { created_time: 'created', completed_time: 'finished', progress: 'progress' } as const

/** What the core's own index can answer; null when it cannot. */
async function pageOf(query: JobsQuery, { call }: RestContext): Promise<TaskRow[] | null> {
  const filter = query.status === undefined ? 'all' : coreFilters[query.status]
  if (filter === undefined || query.service !== undefined) return null
  if (query.sort_by === 'started_time' || query.sort_by === 'status' || query.sort_by === 'service')
    return null
  const { rows } = await call('list.query', {
    ...{ filter, search: '', sort: coreSorts[query.sort_by], order: query.sort_order },
    ...{ offset: query.offset, limit: query.limit },
  })
  return rows
}

/** All rows are looked at: by service, by what is queued or cancelled, in an order that has no index. */
async function selectedRows(query: JobsQuery, context: RestContext): Promise<TaskRow[]> {
  const filters: ListFilter[] = query.status === 'queued' ? ['waiting', 'paused'] : ['all']
  const rows: TaskRow[] = []
  for (const filter of filters) rows.push(...(await allRows(filter, context)))
  const fitting = rows.filter(
    (row) =>
      (query.status === undefined || statusOf(row.state) === query.status) &&
      (query.service === undefined || row.service === query.service),
  )
  const keys = await sortKeys(fitting, query.sort_by, context)
  const direction = query.sort_order === 'asc' ? 1 : -1
  const ordered = fitting.toSorted((a, b) => {
    const [left, right] = [keys(a), keys(b)]
    if (left === right) return b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1)
    // what has no time yet comes last in both orders
    if (left === null || right === null) return left === null ? 1 : -1
    return (left < right ? -1 : 1) * direction
  })
  return ordered.slice(query.offset, query.offset + query.limit)
}

async function allRows(filter: ListFilter, { call }: RestContext): Promise<TaskRow[]> {
  const rows: TaskRow[] = []
  for (;;) {
    const page = await call('list.query', {
      ...{ filter, search: '', sort: 'created', order: 'asc' },
      ...{ offset: rows.length, limit: pageSize },
    })
    rows.push(...page.rows)
    if (page.rows.length < pageSize) return rows
  }
}

async function sortKeys(
  rows: readonly TaskRow[],
  field: JobsQuery['sort_by'],
  context: RestContext,
): Promise<(row: TaskRow) => number | string | null> {
  switch (field) {
    case 'created_time':
      return (row) => row.createdAt
    case 'completed_time':
      return (row) => row.finishedAt
    case 'progress':
      return (row) => row.progress
    case 'status':
      return (row) => statusOf(row.state)
    case 'service':
      return (row) => row.service
    case 'started_time': {
      const jobs = await jobsOf(rows, context)
      return (row) => jobs.get(row.jobId)?.startedAt ?? null
    }
  }
}

async function jobsOf(rows: readonly TaskRow[], { call }: RestContext): Promise<Map<string, Job>> {
  const found = new Map<string, Job>()
  for (let start = 0; start < rows.length; start += pageSize) {
    const jobIds = rows.slice(start, start + pageSize).map((row) => row.jobId)
    for (const job of (await call('jobs.get', { jobIds })).jobs) found.set(job.id, job)
  }
  return found
}

/** A row whose job has just gone with its task is left out. */
async function summariesOf(rows: readonly TaskRow[], context: RestContext): Promise<JobSummary[]> {
  const jobs = await jobsOf(rows, context)
  return rows.flatMap((row) => {
    const job = jobs.get(row.jobId)
    return job === undefined ? [] : [summaryOf(row, job)]
  })
}

function notFound(): SluiceError {
  return new SluiceError('JOB_NOT_FOUND', 'There is no such job')
}
