/** What clients see of a task: list rows and details. The same shapes in the window, the API and the command line. */
import { deferred, z } from './validator.ts'
import { errorRecordSchema } from './error-record-schema.ts'
import {
  pauseSchema,
  setBacks,
  stepKinds,
  stepStates,
  taskParametersSchema,
  taskStates,
} from './task/model.ts'
import { bytes } from './task/resource.ts'
import { activeRangeSchema } from './worker-protocol.ts'

/** One piece of a row's progress bar: a step, or one file of a playlist. */
export const barPieceSchema = deferred(() =>
  z.object({
    kind: z.enum([...stepKinds, 'file']),
    label: z.string(),
    state: z.enum(stepStates),
    /** share of the whole bar; the shares of a row sum to 1 */
    share: z.number(),
    /** 0–1 */
    fraction: z.number(),
  }),
)

export const taskRowSchema = deferred(() =>
  z.object({
    id: z.string(),
    jobId: z.string(),
    title: z.string(),
    /** host name of the link */
    host: z.string(),
    service: z.string(),
    state: z.enum(taskStates),
    pause: pauseSchema.nullable(),
    /** a request that is committed and not yet carried out ("pausing", "cancelling") */
    stopRequested: z
      .enum(['delete', 'cancel', 'redownload', 'edit', 'select', 'pause', 'requeue', 'exit'])
      .nullable(),
    /** why a waiting task is not eligible now, null when it is just its turn that is missing */
    blockedBy: errorRecordSchema.nullable(),
    error: errorRecordSchema.nullable(),
    /** 1 is next; null unless WAITING */
    queuePosition: z.number().int().positive().nullable(),
    /** 0–100; 100 exactly when complete */
    progress: z.number(),
    /** why progress fell within this job; absent or null: it did not, or is complete */
    setBack: z.enum(setBacks).nullable().optional(),
    doneBytes: bytes,
    size: bytes.nullable(),
    bytesPerSecond: z.number().nonnegative(),
    /** null when it would be absurd */
    remainingSeconds: z.number().nonnegative().nullable(),
    /** kinds and labels of the steps that run now */
    active: z.array(
      z.object({
        kind: z.enum(stepKinds),
        label: z.string(),
        activity: z.enum(['connecting', 'transferring', 'waiting', 'muxing', 'verifying', 'flushing']),
      }),
    ),
    pieces: z.array(barPieceSchema),
    fileCount: z.number().int(),
    folder: z.string(),
    /** absolute paths of published files */
    outputs: z.array(z.string()),
    /** why optional parts were left out, and which flaws were taken as they are */
    skipped: z.array(errorRecordSchema),
    createdAt: z.number().int(),
    finishedAt: z.number().int().nullable(),
  }),
)
export type TaskRow = z.infer<typeof taskRowSchema>

export const taskDetailsSchema = deferred(() =>
  z.object({
    row: taskRowSchema,
    /** secrets masked */
    parameters: taskParametersSchema,
    files: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        size: bytes.nullable(),
        doneBytes: bytes,
        selected: z.boolean(),
        progress: z.number(),
      }),
    ),
    steps: z.array(
      z.object({
        id: z.string(),
        fileId: z.string().nullable(),
        kind: z.enum(stepKinds),
        label: z.string(),
        stage: z.number().int(),
        state: z.enum(stepStates),
        fraction: z.number(),
        doneBytes: bytes,
        size: bytes.nullable(),
        preemptible: z.boolean(),
        error: errorRecordSchema.nullable(),
        ranges: z.array(activeRangeSchema),
        /** durable ranges by the last checkpoint */
        durable: z.array(z.tuple([bytes, bytes])),
      }),
    ),
    attempts: z.array(
      z.object({
        id: z.string(),
        startedAt: z.number(),
        endedAt: z.number().nullable(),
        reason: z.string().nullable(),
      }),
    ),
    /** its host refused more connections than these at once, and gets no more from then on; absent: not asked */
    hostLimit: z.object({ host: z.string(), connections: z.number().int() }).nullable().optional(),
  }),
)
export type TaskDetails = z.infer<typeof taskDetailsSchema>

export const listFilters = ['all', 'running', 'waiting', 'paused', 'completed', 'failed'] as const
export type ListFilter = (typeof listFilters)[number]

/** A window on the list. Volatile sorts are re-ordered at most once a second. */
export const listQuerySchema = deferred(() =>
  z.object({
    filter: z.enum(listFilters),
    search: z.string().max(200),
    sort: z.enum(['queue', 'created', 'title', 'size', 'progress', 'state', 'finished']),
    order: z.enum(['asc', 'desc']),
    offset: z.number().int().min(0),
    limit: z.number().int().min(1).max(500),
  }),
)
export type ListQuery = z.infer<typeof listQuerySchema>

export const listCountsSchema = deferred(() =>
  z.object({
    all: z.number().int(),
    running: z.number().int(),
    waiting: z.number().int(),
    paused: z.number().int(),
    completed: z.number().int(),
    failed: z.number().int(),
  }),
)
export type ListCounts = z.infer<typeof listCountsSchema>

export const listWindowSchema = deferred(() =>
  z.object({
    ids: z.array(z.string()),
    total: z.number().int(),
    counts: listCountsSchema,
  }),
)
export type ListWindow = z.infer<typeof listWindowSchema>
