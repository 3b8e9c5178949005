/** The routes of jobs: queue, look, operate. The table of docs/api.md, in its order. */
import { SluiceError } from '../../shared/errors.ts'
import type { CommandInput } from '../../shared/contract/commands.ts'
import type { Headers } from '../../shared/task/resource.ts'
import { isTerminal } from '../../shared/task/derive.ts'
import { z } from '../../shared/validator.ts'
import { findCurrent, findJob, jobOf, listJobs, readJob } from './jobs.ts'
import type { RestAnswer, RestContext, RestRoute } from './route.ts'
import { ok, route } from './route.ts'
import {
  acceptedSchema,
  downloadSchema,
  editSchema,
  jobParamsSchema,
  jobSchema,
  jobsQuerySchema,
  jobSummarySchema,
} from './schemas.ts'

const jobs = '/api/download/jobs'
const job = `${jobs}/{id}`

const pairs = (headers: Record<string, string> | undefined): Headers | undefined =>
  headers === undefined ? undefined : Object.entries(headers)

/** Without the keys that were not given: the contract tells "not given" from "given as nothing". */
function given<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(options).filter(([, value]) => value !== undefined)
  // only absent values are gone, as the type says
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> }
}

async function queue(body: z.infer<typeof downloadSchema>, { call }: RestContext): Promise<string> {
  const options = given({
    folder: body.folder,
    name: body.title,
    headers: pairs(body.headers),
    connections: body.connections,
    speedLimitBytesPerSecond: body.speed_limit_bytes_per_second,
    checksum: body.checksum,
    proxy: body.proxy,
    direct: body.direct,
    planId: body.plan_id,
    files: body.wanted,
    duplicates: body.duplicates,
    priority: body.priority,
    startPaused: body.start_paused,
  })
  const input: CommandInput<'tasks.add'> =
    body.audio_url === undefined
      ? { links: [body.url], options }
      : { pair: { video: body.url, audio: body.audio_url }, options }
  const { results } = await call('tasks.add', input)
  const [result] = results
  if (result === undefined) throw new SluiceError('INTERNAL', 'Nothing was queued')
  if (result.kind === 'refused') throw SluiceError.fromRecord(result.error)
  return result.jobId
}

async function accepted(jobId: string, context: RestContext): Promise<RestAnswer> {
  const found = await readJob(jobId, context)
  const { job_id, status, created_time } = found
  return { status: 202, body: { job_id, status, created_time } }
}

/** 202 with the id when the operation began a new job, else 200 with the job. */
async function afterOperation(before: string, after: string, context: RestContext): Promise<RestAnswer> {
  return after === before ? ok(await readJob(after, context)) : accepted(after, context)
}

async function remove(id: string, context: RestContext): Promise<RestAnswer> {
  const { job: found, row } = await findJob(id, context)
  const gone: RestAnswer = { status: 204, body: null }
  if (row === null) {
    await context.call('history.remove', { jobId: found.id })
    return gone
  }
  if (!isTerminal(row.state)) {
    jobOf(await context.call('tasks.cancel', { ids: [row.id] }))
    return ok({ status: 'cancelled', message: 'The download is cancelled; what arrived is discarded' })
  }
  jobOf(
    await context.call('tasks.delete', { target: { ids: [row.id] }, deleteFiles: false, undoable: false }),
  )
  return gone
}

async function edit(id: string, body: z.infer<typeof editSchema>, context: RestContext): Promise<RestAnswer> {
  const { id: taskId } = await findCurrent(id, context)
  if ('selected' in body) {
    const { selected } = body
    if (selected.length === 0) throw new SluiceError('UNSUPPORTED', 'At least one file has to be wanted')
    return afterOperation(id, jobOf(await context.call('tasks.select', { id: taskId, selected })), context)
  }
  const input = given({
    id: taskId,
    link: body.url,
    folder: body.folder,
    name: body.title,
    headers: pairs(body.headers),
    connections: body.connections,
    speedLimitBytesPerSecond: body.speed_limit_bytes_per_second,
    deleteFiles: body.delete_files,
    startAfterEdit: body.start_after_edit,
  })
  return afterOperation(id, jobOf(await context.call('tasks.edit', input)), context)
}

const acceptedAnswer = { description: 'A new job', body: acceptedSchema }
const changedAnswer = { description: 'The job as it is now', body: jobSchema }

export const jobRoutes: readonly RestRoute[] = [
  route({
    method: 'POST',
    path: '/api/download',
    summary: 'Queue a download',
    body: downloadSchema,
    answers: { 202: { description: 'It is queued', body: acceptedSchema } },
    errors: [403, 409, 422],
    handle: async ({ body }, context) => accepted(await queue(body, context), context),
  }),
  route({
    method: 'GET',
    path: jobs,
    summary: 'The jobs of the list, one for each entry',
    query: jobsQuerySchema,
    answers: {
      200: {
        description: 'Summaries; whole jobs with full=true',
        body: z.object({ jobs: z.array(z.union([jobSchema, jobSummarySchema])) }),
      },
    },
    errors: [],
    handle: async ({ query }, context) => ok({ jobs: await listJobs(query, context) }),
  }),
  route({
    method: 'GET',
    path: job,
    summary: 'One job in full, also when it is history',
    params: jobParamsSchema,
    answers: { 200: { description: 'The job', body: jobSchema } },
    errors: [404],
    handle: async ({ params }, context) => ok(await readJob(params.id, context)),
  }),
  route({
    method: 'DELETE',
    path: job,
    summary: 'Cancel a live job; remove an ended one (its files stay)',
    params: jobParamsSchema,
    answers: {
      200: {
        description: 'It was live and is cancelled',
        body: z.object({ status: z.literal('cancelled'), message: z.string() }),
      },
      204: { description: 'It had ended and is removed', body: null },
    },
    errors: [404, 409],
    handle: ({ params }, context) => remove(params.id, context),
  }),
  route({
    method: 'POST',
    path: `${job}/retry`,
    summary: 'Queue an ended job again, as a new entry of the list',
    params: jobParamsSchema,
    answers: { 202: acceptedAnswer },
    errors: [403, 404, 409, 422],
    handle: async ({ params }, context) => {
      await findJob(params.id, context)
      return accepted(jobOf(await context.call('tasks.retryAsNew', { endedJobs: [params.id] })), context)
    },
  }),
  route({
    method: 'POST',
    path: `${job}/priority`,
    summary: 'Move a waiting job to the front of the queue',
    params: jobParamsSchema,
    answers: {
      200: {
        description: 'It is next',
        body: z.object({ job_id: z.string(), position: z.literal('front') }),
      },
    },
    errors: [404, 409],
    handle: async ({ params }, context) => {
      const { id } = await findCurrent(params.id, context)
      const jobId = jobOf(await context.call('tasks.move', { ids: [id], before: 'front' }))
      return ok({ job_id: jobId, position: 'front' })
    },
  }),
  ...(
    [
      ['pause', 'tasks.pause', 'Pause a job; what arrived is kept'],
      ['resume', 'tasks.restart', 'Resume a paused job; a failed one begins again as a new job'],
      ['redownload', 'tasks.redownload', 'Delete what there is and download all of it again, as a new job'],
    ] as const
  ).map(([name, command, summary]) =>
    route({
      method: 'POST',
      path: `${job}/${name}`,
      summary,
      params: jobParamsSchema,
      answers: name === 'pause' ? { 200: changedAnswer } : { 200: changedAnswer, 202: acceptedAnswer },
      errors: [404, 409],
      handle: async ({ params }, context) => {
        const { id } = await findCurrent(params.id, context)
        return afterOperation(params.id, jobOf(await context.call(command, { ids: [id] })), context)
      },
    }),
  ),
  route({
    method: 'PATCH',
    path: job,
    summary: 'Edit a job, or choose its files',
    params: jobParamsSchema,
    body: editSchema,
    answers: { 200: changedAnswer, 202: acceptedAnswer },
    errors: [403, 404, 409, 422],
    handle: ({ params, body }, context) => edit(params.id, body, context),
  }),
  route({
    method: 'POST',
    path: `${jobs}/clear-finished`,
    summary: 'Remove all ended jobs from the list; their files stay',
    answers: {
      200: { description: 'How many went', body: z.object({ removed: z.number().int() }) },
    },
    errors: [],
    handle: async (_input, { call }) => ok(await call('tasks.clearFinished', {})),
  }),
]
