/**
 * Messages between the host process and a worker process. The runner in the host gives one order per step and
 * hears one outcome for it; a worker never chooses a step. Every worker message repeats attempt and token and
 * carries a rising sequence number: what does not match the current ownership is dropped, whatever it says.
 */
import { z } from 'zod'
import { errorCodes, errorRecordSchema } from './errors.ts'
import { accessSchema } from './task/access.ts'
import {
  checkpointSchema,
  outputSchema,
  planSchema,
  resourceFactsSchema,
  sourceSchema,
  taskParametersSchema,
} from './task/model.ts'

const bytes = z.number().int().nonnegative()

/** How hard a step may work; sent with the order and again whenever it changes. */
export const stepLimitsSchema = z.object({
  /** connections leased to this attempt by the host process */
  connections: z.number().int().min(1),
  /** bytes per second for this attempt, null for no limit */
  bytesPerSecond: z.number().positive().nullable(),
  retryBudget: z.number().int().nonnegative(),
  stallTimeoutMs: z.number().int().positive(),
})
export type StepLimits = z.infer<typeof stepLimitsSchema>

/** What one step has to do, complete in itself. */
export const stepOrderSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('resolve'), parameters: taskParametersSchema }),
  z.object({
    kind: z.literal('fetch'),
    source: sourceSchema,
    /** absolute; created by the worker, exclusively, when it is not there */
    workingFolder: z.string(),
    /** name of the track's file inside the working folder */
    fileName: z.string(),
    checksum: z.string().nullable(),
    proxy: z.string().nullable(),
    /** the task's; absent: nothing beyond what any link may do */
    access: accessSchema.optional(),
    /** refuse an answer that is a web page (a plain page was not asked for by name) */
    refusePage: z.boolean(),
    /** flaws that a person has taken as they are (missing segments); absent: none */
    accepted: z.array(z.enum(errorCodes)).optional(),
    /** what a changed resource leads to */
    changedResourcePolicy: z.enum(['ask', 'restart']),
    /** absolute final path when this step makes the file itself, null when a later step does */
    publishTo: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('mux'),
    workingFolder: z.string(),
    fileName: z.string(),
    tracks: z.array(
      z.object({ path: z.string(), kind: z.enum(['video', 'audio', 'subtitle']), label: z.string() }),
    ),
    container: z.enum(['mp4', 'webm', 'mkv']).nullable(),
    /** flaws that a person has taken as they are; absent: none */
    accepted: z.array(z.enum(errorCodes)).optional(),
    ffmpegPath: z.string().nullable(),
    publishTo: z.string(),
  }),
])
export type StepOrder = z.infer<typeof stepOrderSchema>

const fromHost = { attemptId: z.string(), token: z.number().int().positive() }

export const hostMessageSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('run-step'),
    ...fromHost,
    stepId: z.string(),
    order: stepOrderSchema,
    checkpoint: checkpointSchema.nullable(),
    /** failures in a row so far without new durable bytes */
    failures: z.number().int().nonnegative(),
    limits: stepLimitsSchema,
  }),
  /** stop these steps: checkpoint, then report `paused`; `discard` gives up without a checkpoint */
  z.object({
    kind: z.literal('stop-steps'),
    ...fromHost,
    stepIds: z.array(z.string()),
    how: z.enum(['checkpoint', 'discard']),
  }),
  z.object({ kind: z.literal('set-limits'), ...fromHost, limits: stepLimitsSchema }),
  /** answer to `ready`: the commit of `publishing` is durable; `to` is an absolute path that must not exist */
  z.object({ kind: z.literal('publish'), ...fromHost, stepId: z.string(), to: z.string() }),
  /** answer to `ready`: a request won; the step ends `paused` and keeps its verified file */
  z.object({ kind: z.literal('publish-refused'), ...fromHost, stepId: z.string() }),
  /** answer to `child-started`: its pid and start time are durable, it may be used */
  z.object({ kind: z.literal('child-recorded'), ...fromHost, pid: z.number().int() }),
  /** the attempt is over; the worker may take another one */
  z.object({ kind: z.literal('end-attempt'), ...fromHost }),
])
export type HostMessage = z.infer<typeof hostMessageSchema>

/** How a step ended. Cancelling is not among them: who asked for it knows. */
export const stepOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('completed'),
    result: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('plan'),
        plan: planSchema,
      }),
      /** a track in the working folder */
      z.object({ kind: z.literal('track'), output: outputSchema }),
      /** a published file */
      z.object({ kind: z.literal('file'), output: outputSchema }),
    ]),
  }),
  z.object({
    kind: z.literal('paused'),
    checkpoint: checkpointSchema.nullable(),
    /** null: it was asked to stop; else what keeps it from going on by itself */
    cause: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('storage'), error: errorRecordSchema, resumesByItself: z.boolean() }),
        /** `retryAfterMs`: what the host asked for or the back-off says; the budget is used up when null */
        z.object({
          kind: z.literal('network'),
          error: errorRecordSchema,
          retryAfterMs: z.number().int().nonnegative().nullable(),
          failures: z.number().int().nonnegative(),
        }),
        z.object({ kind: z.literal('source'), error: errorRecordSchema }),
        z.object({ kind: z.literal('review'), error: errorRecordSchema }),
      ])
      .nullable(),
  }),
  z.object({ kind: z.literal('failed'), error: errorRecordSchema }),
  z.object({ kind: z.literal('skipped'), error: errorRecordSchema }),
])
export type StepOutcome = z.infer<typeof stepOutcomeSchema>

/** One connection or worker of a transfer, for the details view. */
export const activeRangeSchema = z.object({
  start: bytes,
  next: bytes,
  end: bytes.nullable(),
  bytesPerSecond: z.number().nonnegative(),
})
export type ActiveRange = z.infer<typeof activeRangeSchema>

const fromWorker = {
  attemptId: z.string(),
  token: z.number().int().positive(),
  seq: z.number().int().positive(),
}

export const workerMessageSchema = z.discriminatedUnion('kind', [
  /** the loop is alive; every 2 s, figures need not change */
  z.object({ kind: z.literal('heartbeat'), ...fromWorker }),
  z.object({
    kind: z.literal('progress'),
    ...fromWorker,
    steps: z.array(
      z.object({
        stepId: z.string(),
        doneBytes: bytes,
        size: bytes.nullable(),
        /** 0–1; for mux the share of packets written */
        fraction: z.number().min(0).max(1),
        bytesPerSecond: z.number().nonnegative(),
        activity: z.enum(['connecting', 'transferring', 'waiting', 'muxing', 'verifying', 'flushing']),
        ranges: z.array(activeRangeSchema).optional(),
      }),
    ),
  }),
  /** names durable bytes only */
  z.object({
    kind: z.literal('checkpoint'),
    ...fromWorker,
    stepId: z.string(),
    checkpoint: checkpointSchema,
  }),
  z.object({
    kind: z.literal('facts'),
    ...fromWorker,
    stepId: z.string(),
    preemptible: z.boolean(),
    /** of a download, once the first response is there */
    resource: resourceFactsSchema.nullable(),
    /** the safe name the first response suggests, null to keep the plan's */
    suggestedName: z.string().nullable(),
  }),
  /** `startTime` is empty on the wire: the pool, which knows how to look it up, fills it in */
  z.object({ kind: z.literal('child-started'), ...fromWorker, pid: z.number().int(), startTime: z.string() }),
  /**
   * Verified and synced, waiting for leave to publish. `takenName` repeats the request after the name that was
   * granted turned out to exist on disk.
   */
  z.object({
    kind: z.literal('ready'),
    ...fromWorker,
    stepId: z.string(),
    /** absolute path of the verified file in the working folder */
    from: z.string(),
    takenPath: z.string().nullable(),
  }),
  z.object({ kind: z.literal('outcome'), ...fromWorker, stepId: z.string(), outcome: stepOutcomeSchema }),
])
export type WorkerMessage = z.infer<typeof workerMessageSchema>

/** A worker message without its envelope, as step executors send it. */
export type WorkerReport = WorkerMessage extends infer M
  ? M extends WorkerMessage
    ? Omit<M, 'attemptId' | 'token' | 'seq'>
    : never
  : never
