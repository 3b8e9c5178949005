/** The shapes of the REST API. Requests are strict: an unknown key is refused, so that a typing error is no silence. */
import { z } from '../../shared/validator.ts'
import { errorCodes } from '../../shared/errors.ts'
import { settingsSchema } from '../../shared/settings.ts'
import { pauseKinds } from '../../shared/task/model.ts'

export const jobStatuses = ['queued', 'downloading', 'completed', 'failed', 'cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]

const time = z.string().describe('ISO 8601, UTC')
const bytes = z.number().int().nonnegative()
const jobId = z.string().min(1).max(64)

export const jobParamsSchema = z.strictObject({ id: jobId.describe('the job_id') })

const headers = z
  .record(z.string().max(200), z.string().max(8192))
  .describe('request headers, by name; secret ones are never shown again')
const link = z.string().min(1).max(8192).describe('an http or https link')

export const downloadSchema = z.strictObject({
  url: link,
  audio_url: link.optional().describe('with it, url is the video: both are fetched and muxed into one file'),
  title: z.string().min(1).max(255).optional().describe("the file's name; else what the host says"),
  folder: z.string().max(4096).optional().describe('below a download root; relative to the first one'),
  headers: headers.optional(),
  connections: z.number().int().min(1).max(16).optional(),
  speed_limit_bytes_per_second: z.number().int().positive().optional(),
  checksum: z.string().max(200).optional().describe('algorithm:hex of the whole file'),
  proxy: z.string().max(2000).optional(),
  direct: z.boolean().optional().describe('take a web page as a file'),
  plan_id: jobId.optional().describe('what resolve has found: it is not asked again within ten minutes'),
  wanted: z
    .array(z.number().int().nonnegative())
    .min(1)
    .max(100_000)
    .optional()
    .describe('positions of the wanted files in what resolve has found'),
  duplicates: z
    .enum(['allow', 'ask', 'use'])
    .optional()
    .describe(
      'a link that is in the list for this folder: allow takes a new name, ask is refused with 409, use shares the file that is there',
    ),
  priority: z.enum(['normal', 'front']).optional(),
  start_paused: z.boolean().optional(),
})

export const editSchema = z.union([
  z.strictObject({
    selected: z.array(z.string().min(1).max(64)).max(100_000).describe('ids of the files that are wanted'),
  }),
  z.strictObject({
    url: link.optional(),
    title: z.string().min(1).max(255).optional(),
    folder: z.string().max(4096).optional(),
    headers: headers.optional(),
    connections: z.number().int().min(1).max(16).nullable().optional(),
    speed_limit_bytes_per_second: z.number().int().positive().nullable().optional(),
    delete_files: z.boolean().default(false),
    start_after_edit: z.boolean().default(true),
  }),
])

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'a whole number')
    .transform(Number)
    .pipe(z.number().int().min(min).max(max))

export const sortFields = [
  'created_time',
  'started_time',
  'completed_time',
  'progress',
  'status',
  'service',
] as const

export const jobsQuerySchema = z.strictObject({
  full: z.enum(['true', 'false']).default('false'),
  status: z.enum(jobStatuses).optional(),
  service: z.string().max(200).optional(),
  sort_by: z.enum(sortFields).default('created_time'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
  limit: whole(1, 500).default(100),
  offset: whole(0, 999_999_999).default(0),
})
export type JobsQuery = z.infer<typeof jobsQuerySchema>

export const historyQuerySchema = z.strictObject({
  limit: whole(1, 1000).default(100),
  service: z.string().max(200).optional(),
})

export const resolveSchema = z.strictObject({
  url: link,
  headers: headers.optional(),
  proxy: z.string().max(2000).optional(),
  direct: z.boolean().optional(),
})

export const configPatchSchema = settingsSchema.partial().strict()

// ---------------------------------------------------------------- answers

const jobErrorSchema = z.object({
  error_code: z.enum(errorCodes),
  message: z.string(),
  hint: z.string().describe('the next step'),
})

export const jobSummarySchema = z.object({
  job_id: z.string(),
  task_id: z.string().describe('stays the same over all jobs of one entry of the list'),
  status: z.enum(jobStatuses),
  state: z.enum(['waiting', 'running', 'paused', 'completed', 'failed', 'cancelled']),
  pause_reason: z.enum(pauseKinds).nullable(),
  stop_requested: z
    .enum(['delete', 'cancel', 'redownload', 'edit', 'select', 'pause', 'requeue', 'exit'])
    .nullable(),
  superseded_by: z.string().nullable().describe('the job that followed this one'),
  title: z.string(),
  service: z.string(),
  created_time: time,
  started_time: time.nullable(),
  completed_time: time.nullable().describe('when it ended, however it ended'),
  queue_position: z.number().int().nullable(),
  progress: z.number().describe('0 to 100 of the whole; 100 exactly when complete'),
  current_progress: z.number().nullable().describe('0 to 100 of the file that is fetched now'),
  current_title: z.string().nullable(),
  phase: z.string().nullable().describe('what happens now, in words'),
  completed_tracks: z.number().int(),
  total_tracks: z.number().int(),
  active_tracks: z.array(z.string()),
  track_progress: z.array(
    z.object({ label: z.string(), progress: z.number(), speed: z.number().nullable() }),
  ),
  segments_done: z.number().int().nullable(),
  segments_total: z.number().int().nullable(),
  size: bytes.nullable(),
  done_bytes: bytes,
  speed: z.string().describe('for people, such as 12.4 MB/s'),
  speed_bps: z.number().describe('bytes per second'),
  remaining_seconds: z.number().nullable(),
  skipped_subtitles: z.array(z.string()),
  output_files: z.array(z.string()).describe('grows as files are finished'),
  error: jobErrorSchema.nullable().describe('why it failed or is paused'),
})
export type JobSummary = z.infer<typeof jobSummarySchema>

export const jobSchema = jobSummarySchema.extend({
  parameters: z
    .object({
      url: z.string(),
      audio_url: z.string().nullable(),
      folder: z.string(),
      title: z.string().nullable(),
      headers: z.record(z.string(), z.string()),
      connections: z.number().int().nullable(),
      speed_limit_bytes_per_second: z.number().int().nullable(),
      checksum: z.string().nullable(),
      proxy: z.string().nullable(),
      direct: z.boolean(),
    })
    .nullable()
    .describe('secrets masked; null for a job that is history'),
  files: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      size: bytes.nullable(),
      done_bytes: bytes,
      selected: z.boolean(),
      progress: z.number(),
    }),
  ),
  attempts: z.array(
    z.object({
      started_time: time,
      ended_time: time.nullable(),
      reason: z.string().nullable(),
      worker_output: z
        .string()
        .optional()
        .describe('of failed jobs with --debug-api: stacks of errors and all else that was written'),
    }),
  ),
})
export type JobView = z.infer<typeof jobSchema>

export const acceptedSchema = z.object({
  job_id: z.string(),
  status: z.enum(jobStatuses),
  created_time: time,
})

export const historyEntrySchema = z.object({
  job_id: z.string(),
  task_id: z.string(),
  title: z.string(),
  service: z.string(),
  status: z.enum(jobStatuses),
  created_time: time,
  started_time: time.nullable(),
  completed_time: time,
  done_bytes: bytes,
  output_files: z.array(z.string()),
  error: jobErrorSchema.nullable(),
})

export const resolvedSchema = z.object({
  plan_id: z.string().describe('for POST /api/download, for ten minutes'),
  title: z.string(),
  service: z.string(),
  files: z.array(z.object({ name: z.string(), size: bytes.nullable() })),
})
