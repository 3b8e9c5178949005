/**
 * The objects of the task model: a task, its files, their steps; its jobs (one life each) and attempts (one
 * ownership window of a worker each). Everything here is plain data with a schema, since it crosses the
 * store, the worker protocol and the contract. States are unions on `kind` or string unions, never booleans.
 * What a step fetches, and how far it has come with it, is in `resource.ts`.
 */
import { deferred, z } from '../validator.ts'
import { errorRecordSchema } from '../error-record-schema.ts'
import { accessSchema } from './access.ts'
import { bytes, checkpointSchema, headersSchema, sourceSchema } from './resource.ts'

export const stepKinds = [
  'resolve',
  'download',
  'download-video',
  'download-audio',
  'download-subtitle',
  'mux',
  'convert',
] as const
export type StepKind = (typeof stepKinds)[number]

export const stepStates = [
  'WAITING',
  'RUNNING',
  'PAUSED',
  'COMPLETED',
  'SKIPPED',
  'FAILED',
  'CANCELLED',
] as const
export type StepState = (typeof stepStates)[number]

export const taskStates = ['WAITING', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'] as const
export type TaskState = (typeof taskStates)[number]

const epochMs = deferred(() => z.number().int())

// ---------------------------------------------------------------- pauses, requests

export const pauseKinds = ['user', 'storage', 'network', 'source', 'review', 'schedule', 'crash'] as const
export type PauseKind = (typeof pauseKinds)[number]

/** Why something is paused, with just the data that this reason needs. */
export const pauseSchema = deferred(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('user'), at: epochMs }),
    z.object({
      kind: z.literal('storage'),
      at: epochMs,
      /** first storage pause of the job: 24 h later it stops resuming by itself */
      firstAt: epochMs,
      folder: z.string(),
      resumesByItself: z.boolean(),
      error: errorRecordSchema,
    }),
    z.object({
      kind: z.literal('network'),
      at: epochMs,
      resumeAt: epochMs.nullable(),
      /** where the task re-enters the queue when `resumeAt` comes */
      resumeTo: z.enum(['head', 'tail']),
      /** pauses in a row without new durable bytes; decides the next delay */
      failures: z.number().int().nonnegative(),
      error: errorRecordSchema,
    }),
    z.object({ kind: z.literal('source'), at: epochMs, error: errorRecordSchema }),
    z.object({ kind: z.literal('review'), at: epochMs, error: errorRecordSchema }),
    z.object({ kind: z.literal('schedule'), at: epochMs, resumeAt: epochMs.nullable() }),
    z.object({ kind: z.literal('crash'), at: epochMs, error: errorRecordSchema }),
  ]),
)
export type Pause = z.infer<typeof pauseSchema>

// ---------------------------------------------------------------- plan

/** What one step has to do. Decided by the resolver; the runner only passes it on. */
export const stepInputSchema = deferred(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('resolve'),
      /** the link of one entry of a playlist; absent: the task's own */
      link: z.string().optional(),
    }),
    z.object({ kind: z.literal('fetch'), source: sourceSchema, checksum: z.string().nullable() }),
    z.object({
      kind: z.literal('mux'),
      /** positions (in the file's steps) of the steps whose outputs are muxed, in stream order */
      inputs: z.array(z.number().int().nonnegative()),
      container: z.enum(['mp4', 'webm', 'mkv']).nullable(),
    }),
  ]),
)

export const plannedStepSchema = deferred(() =>
  z.object({
    kind: z.enum(stepKinds),
    /** steps of one stage may run side by side; stages run in order */
    stage: z.number().int().nonnegative(),
    /** an optional step may end SKIPPED */
    optional: z.boolean(),
    /** what the track is, in the field's words ("1080p", "en"); empty when there is nothing to say */
    label: z.string(),
    /** share of the file's progress, any positive unit, the same within a file */
    weight: z.number().positive(),
    /** bytes, null while unknown */
    size: bytes.nullable(),
    input: stepInputSchema,
  }),
)
export type PlannedStep = z.infer<typeof plannedStepSchema>

export const plannedFileSchema = deferred(() =>
  z.object({
    /** a safe file name (worker/files/names), extension included */
    name: z.string(),
    size: bytes.nullable(),
    selected: z.boolean(),
    steps: z.array(plannedStepSchema).min(1),
  }),
)
export type PlannedFile = z.infer<typeof plannedFileSchema>

/** The result of resolving; replaced by editing or re-resolving. */
export const planSchema = deferred(() =>
  z.object({
    title: z.string(),
    /** host or extractor name */
    service: z.string(),
    files: z.array(plannedFileSchema).min(1),
  }),
)
export type Plan = z.infer<typeof planSchema>

// ---------------------------------------------------------------- task

/** What the user asked for; retry as new starts from these again. */
export const taskParametersSchema = deferred(() =>
  z.object({
    link: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('single'), url: z.string() }),
      z.object({ kind: z.literal('pair'), video: z.string(), audio: z.string() }),
    ]),
    /** absolute path of the destination */
    folder: z.string(),
    /** the name that was asked for, null to take it from the source */
    name: z.string().nullable(),
    headers: headersSchema,
    /** connections per resource, 1–16 */
    connections: z.number().int().min(1).max(16).nullable(),
    /** bytes per second, null for no limit of its own */
    speedLimitBytesPerSecond: z.number().int().positive().nullable(),
    /** `algorithm:hex` of the whole file */
    checksum: z.string().nullable(),
    proxy: z.string().nullable(),
    /** take a web page as a file */
    direct: z.boolean(),
    /** absent: nothing beyond what any link may do */
    access: accessSchema.optional(),
  }),
)
export type TaskParameters = z.infer<typeof taskParametersSchema>

/** A file that exists on disk and was made by a step. */
export const outputSchema = deferred(() =>
  z.object({
    /** absolute path */
    path: z.string(),
    size: bytes,
    /** device and inode with the modification time: what makes it "the file we wrote" */
    identity: z.string(),
  }),
)
export type Output = z.infer<typeof outputSchema>

export const stepSchema = deferred(() =>
  z.object({
    id: z.string(),
    /** null: the task's own step */
    fileId: z.string().nullable(),
    /** position within its file (or among the task's own steps) */
    index: z.number().int().nonnegative(),
    kind: z.enum(stepKinds),
    stage: z.number().int().nonnegative(),
    optional: z.boolean(),
    label: z.string(),
    weight: z.number().positive(),
    input: stepInputSchema,
    state: z.enum(stepStates),
    /** bytes known to be done and durable or, for mux, written */
    doneBytes: bytes,
    size: bytes.nullable(),
    /** 0–1 */
    fraction: z.number().min(0).max(1),
    preemptible: z.boolean(),
    checkpoint: checkpointSchema.nullable(),
    /** committed leave to publish; both names, so that start-up can settle it */
    publishing: z.object({ from: z.string(), to: z.string() }).nullable(),
    /** what the step left behind when it completed */
    output: outputSchema.nullable(),
    /** why it failed or was skipped; on a WAITING step: a held failure of a multi-file task */
    error: errorRecordSchema.nullable(),
    /** a pause that is this file's own: on a WAITING step held until the others are done, then shown on PAUSED */
    heldPause: pauseSchema.nullable(),
    /** failures in a row without new durable bytes, over attempts */
    failures: z.number().int().nonnegative(),
    /** the resolver was asked for a fresh link since the last durable bytes; it is asked once only */
    askedAgain: z.boolean(),
    /** what was wrong with the result and was taken as it is, for ever said on the task; absent: nothing */
    accepted: z.array(errorRecordSchema).optional(),
  }),
)
export type Step = z.infer<typeof stepSchema>

export const taskFileSchema = deferred(() =>
  z.object({
    id: z.string(),
    index: z.number().int().nonnegative(),
    name: z.string(),
    size: bytes.nullable(),
    selected: z.boolean(),
  }),
)
export type TaskFile = z.infer<typeof taskFileSchema>

/**
 * A request that is committed but not yet carried out, ordered by strength (3-task-model, "A request meets a
 * request"). At most one per task; a stronger one replaces a weaker.
 */
export const requestSchema = deferred(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('delete'), at: epochMs, deleteFiles: z.boolean(), purgeAt: epochMs }),
    z.object({ kind: z.literal('cancel'), at: epochMs }),
    z.object({ kind: z.literal('redownload'), at: epochMs }),
    z.object({
      kind: z.literal('edit'),
      at: epochMs,
      parameters: taskParametersSchema,
      plan: planSchema.nullable(),
      keepsData: z.boolean(),
      deleteFiles: z.boolean(),
      startAfterEdit: z.boolean(),
      thenPause: z.boolean(),
    }),
    z.object({
      kind: z.literal('select'),
      at: epochMs,
      selected: z.array(z.string()),
      thenPause: z.boolean(),
    }),
    z.object({
      kind: z.literal('pause'),
      at: epochMs,
      /** absent: the user asked; else the allowed hours have ended, until then */
      schedule: z.object({ resumeAt: epochMs.nullable() }).optional(),
    }),
    /** `rank`: reserved when the victims were chosen, so that several return in their old order */
    z.object({ kind: z.literal('requeue'), at: epochMs, rank: z.number() }),
    z.object({ kind: z.literal('exit'), at: epochMs, rank: z.number() }),
  ]),
)
export type Request = z.infer<typeof requestSchema>
export type RequestKind = Request['kind']

/** One ownership window of one worker process. */
export const attemptSchema = deferred(() =>
  z.object({
    id: z.string(),
    jobId: z.string(),
    taskId: z.string(),
    /** strictly increasing over the life of the database */
    token: z.number().int().positive(),
    startedAt: epochMs,
    /** null until the process is known */
    worker: z.object({ pid: z.number().int(), startTime: z.string() }).nullable(),
    /** leaders of the process groups this attempt started (FFmpeg, yt-dlp) */
    children: z.array(z.object({ pid: z.number().int(), startTime: z.string() })),
    end: z
      .object({
        at: epochMs,
        reason: z.enum(['finished', 'stopped', 'crashed', 'stalled', 'silent', 'lost']),
      })
      .nullable(),
  }),
)
export type Attempt = z.infer<typeof attemptSchema>

/** One life of a task. A job that has ended never changes; the ended ones are the history. */
export const jobSchema = deferred(() =>
  z.object({
    id: z.string(),
    taskId: z.string(),
    number: z.number().int().positive(),
    createdAt: epochMs,
    startedAt: epochMs.nullable(),
    end: z
      .object({
        at: epochMs,
        state: z.enum(['COMPLETED', 'FAILED', 'CANCELLED']),
        title: z.string(),
        service: z.string(),
        outputs: z.array(z.string()),
        error: errorRecordSchema.nullable(),
        doneBytes: bytes,
      })
      .nullable(),
  }),
)
export type Job = z.infer<typeof jobSchema>

/**
 * What can take progress back within a job: the user wanted it (redo), edited the link without a proof that the data
 * fits, the host has another version now, or what was complete is gone from the disk.
 */
export const setBacks = ['redo', 'edit', 'changed', 'lost'] as const

export const taskSchema = deferred(() =>
  z.object({
    id: z.string(),
    createdAt: epochMs,
    title: z.string(),
    service: z.string(),
    parameters: taskParametersSchema,
    files: z.array(taskFileSchema),
    /** the task's own steps first, then by file and index */
    steps: z.array(stepSchema).min(1),
    job: jobSchema,
    /** the open attempt, null when no worker owns the task */
    attempt: attemptSchema.nullable(),
    request: requestSchema.nullable(),
    pause: pauseSchema.nullable(),
    /** queue rank; not null exactly while WAITING */
    rank: z.number().nullable(),
    /** started over the limit by "start now": not counted, no victim */
    overLimit: z.boolean(),
    /** attempts in a row that ended by a crash without new durable bytes */
    crashes: z.number().int().nonnegative(),
    /** ends of the app in a row at which this task was running without a clean exit */
    uncleanEnds: z.number().int().nonnegative(),
    /** network pauses in a row without new durable bytes; decides how long the next one is */
    networkPauses: z.number().int().nonnegative(),
    /** first storage pause of the job; null until there was one */
    storagePausedSince: epochMs.nullable(),
    /** why its progress fell within the present job; absent or null: it did not */
    setBack: z.enum(setBacks).nullable().optional(),
    /** task this one was made from by "retry as new" */
    retryOf: z.string().nullable(),
    finishedAt: epochMs.nullable(),
  }),
)
export type Task = z.infer<typeof taskSchema>
