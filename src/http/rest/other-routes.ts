/** History, looking links up, and settings. */
import { z } from '../../shared/validator.ts'
import { settingsSchema } from '../../shared/settings.ts'
import type { Job } from '../../shared/task/model.ts'
import { errorOf, statusOf, timeOf } from './job-view.ts'
import type { RestRoute } from './route.ts'
import { ok, route } from './route.ts'
import {
  configPatchSchema,
  historyEntrySchema,
  historyQuerySchema,
  jobParamsSchema,
  resolvedSchema,
  resolveSchema,
} from './schemas.ts'

function historyEntry(job: Job): z.infer<typeof historyEntrySchema>[] {
  const { end } = job
  if (end === null) return []
  return [
    {
      job_id: job.id,
      task_id: job.taskId,
      title: end.title,
      service: end.service,
      status: statusOf(end.state),
      created_time: timeOf(job.createdAt),
      started_time: job.startedAt === null ? null : timeOf(job.startedAt),
      completed_time: timeOf(end.at),
      done_bytes: end.doneBytes,
      output_files: end.outputs,
      error: errorOf(end.error),
    },
  ]
}

export const otherRoutes: readonly RestRoute[] = [
  route({
    method: 'GET',
    path: '/api/history',
    summary: 'Ended jobs, newest first, also of entries that left the list',
    query: historyQuerySchema,
    answers: {
      200: { description: 'Entries', body: z.object({ entries: z.array(historyEntrySchema) }) },
    },
    errors: [],
    handle: async ({ query }, { call }) => {
      const { limit, service } = query
      const { entries } = await call('history.list', { limit, ...(service === undefined ? {} : { service }) })
      return ok({ entries: entries.flatMap(historyEntry) })
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/history/{id}',
    summary: 'Forget one entry of the history',
    params: jobParamsSchema,
    answers: { 204: { description: 'It is forgotten', body: null } },
    errors: [404, 409],
    handle: async ({ params }, { call }) => {
      await call('history.remove', { jobId: params.id })
      return { status: 204, body: null }
    },
  }),
  route({
    method: 'POST',
    path: '/api/resolve',
    summary: 'What a link offers, without queueing it',
    body: resolveSchema,
    answers: { 200: { description: 'Title and files', body: resolvedSchema } },
    errors: [422],
    handle: async ({ body }, { call }) => {
      const { url, headers, proxy, direct } = body
      const { planId, title, service, files } = await call('links.lookup', {
        link: url,
        ...(headers === undefined ? {} : { headers: Object.entries(headers) }),
        ...(proxy === undefined ? {} : { proxy }),
        ...(direct === undefined ? {} : { direct }),
      })
      return ok({ plan_id: planId, title, service, files })
    },
  }),
  route({
    method: 'GET',
    path: '/api/config',
    summary: 'The settings',
    answers: { 200: { description: 'All settings', body: settingsSchema } },
    errors: [],
    handle: async (_input, { call }) => ok(await call('settings.get', {})),
  }),
  route({
    method: 'PATCH',
    path: '/api/config',
    summary: 'Change settings; those that name programs of the machine are read-only here',
    body: configPatchSchema,
    answers: { 200: { description: 'All settings', body: settingsSchema } },
    errors: [403],
    handle: async ({ body }, { call }) => ok(await call('settings.set', body)),
  }),
]
