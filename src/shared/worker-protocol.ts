/**
 * Messages between the host process and a worker process. The runner in the host gives one order per step and
 * hears one outcome for it; a worker never chooses a step. Every worker message repeats attempt and token and
 * carries a rising sequence number: what does not match the current ownership is dropped, whatever it says.
 */
import { deferred, z } from './validator.ts'
import { errorRecordSchema } from './error-record-schema.ts'
import type { ErrorCode } from './errors.ts'
import type { Access } from './task/access.ts'
import { outputSchema, planSchema } from './task/model.ts'
import type { TaskParameters } from './task/model.ts'
import { bytes, checkpointSchema, resourceFactsSchema } from './task/resource.ts'
import type { Checkpoint, Source } from './task/resource.ts'

/** How hard a step may work; sent with the order and again whenever it changes. */
export interface StepLimits {
  /** connections leased to this attempt by the host process, at least 1 */
  connections: number
  /** bytes per second for this attempt, null for no limit */
  bytesPerSecond: number | null
  retryBudget: number
  stallTimeoutMs: number
}

/** What holds for every connection of a worker, as of the settings and the host. */
export interface NetworkRules {
  /** absolute path of a PEM file of authorities trusted beside the system's; empty: none */
  certificateFile: string
  /** port on which the host itself listens on this machine: no link leads there; null: it does not */
  ownPort: number | null
}

/** What one step has to do, complete in itself. */
export type StepOrder =
  | {
      kind: 'resolve'
      parameters: TaskParameters
      /** absent: none but those that always hold */
      network?: NetworkRules | undefined
      /** absolute; where a small file that comes whole with the answer is put; absent: nothing is kept */
      arrivalPath?: string | undefined
    }
  | {
      kind: 'fetch'
      source: Source
      /** absolute; created by the worker, exclusively, when it is not there */
      workingFolder: string
      /** name of the track's file inside the working folder */
      fileName: string
      checksum: string | null
      proxy: string | null
      /** the task's; absent: nothing beyond what any link may do */
      access?: Access | undefined
      /** as of `resolve` */
      network?: NetworkRules | undefined
      /** refuse an answer that is a web page (a plain page was not asked for by name) */
      refusePage: boolean
      /** flaws that a person has taken as they are (missing segments); absent: none */
      accepted?: ErrorCode[] | undefined
      /** what a changed resource leads to */
      changedResourcePolicy: 'ask' | 'restart'
      /** absolute final path when this step makes the file itself, null when a later step does */
      publishTo: string | null
      /** the file has arrived with the plan and its `publishing` is committed: as of `ready` and `publish` */
      leave?: { from: string; to: string } | undefined
    }
  | {
      kind: 'mux'
      workingFolder: string
      fileName: string
      tracks: { path: string; kind: 'video' | 'audio' | 'subtitle'; label: string }[]
      container: 'mp4' | 'webm' | 'mkv' | null
      /** flaws that a person has taken as they are; absent: none */
      accepted?: ErrorCode[] | undefined
      ffmpegPath: string | null
      publishTo: string
    }

/**
 * From the host. Types without a schema: a worker is started by the host from the files it was itself started from,
 * and trusts it. The other way each message is validated, since a worker handles what strangers send.
 */
export type HostMessage = { attemptId: string; token: number } & (
  | {
      kind: 'run-step'
      stepId: string
      order: StepOrder
      checkpoint: Checkpoint | null
      /** failures in a row so far without new durable bytes */
      failures: number
      limits: StepLimits
    }
  /** stop these steps: checkpoint, then report `paused`; `discard` gives up without a checkpoint */
  | { kind: 'stop-steps'; stepIds: string[]; how: 'checkpoint' | 'discard' }
  | { kind: 'set-limits'; limits: StepLimits }
  /** answer to `ready`: the commit of `publishing` is durable; `to` is an absolute path that must not exist */
  | { kind: 'publish'; stepId: string; to: string }
  /** answer to `ready`: a request won; the step ends `paused` and keeps its verified file */
  | { kind: 'publish-refused'; stepId: string }
  /** answer to `child-started`: its pid and start time are durable, it may be used */
  | { kind: 'child-recorded'; pid: number }
  /** the attempt is over; answered by `ended` */
  | { kind: 'end-attempt' }
)

/** How a step ended. Cancelling is not among them: who asked for it knows. */
export const stepOutcomeSchema = deferred(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('completed'),
      result: z.discriminatedUnion('kind', [
        z.object({
          kind: z.literal('plan'),
          plan: planSchema,
          /** the plan's only file came whole with the answer: it lies at the order's `arrivalPath`, synced */
          hasArrived: z.boolean().optional(),
        }),
        /** a track in the working folder */
        z.object({ kind: z.literal('track'), output: outputSchema }),
        z.object({
          /** a published file */
          kind: z.literal('file'),
          output: outputSchema,
          /** the name that it had before could not be removed, and leads to it as well */
          hasFirstName: z.boolean().optional(),
        }),
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
  ]),
)
export type StepOutcome = z.infer<typeof stepOutcomeSchema>

/** One connection or worker of a transfer, for the details view. */
export const activeRangeSchema = deferred(() =>
  z.object({
    start: bytes,
    next: bytes,
    end: bytes.nullable(),
    bytesPerSecond: z.number().nonnegative(),
  }),
)
export type ActiveRange = z.infer<typeof activeRangeSchema>

const fromWorker = {
  attemptId: z.string(),
  token: z.number().int().positive(),
  seq: z.number().int().positive(),
}

export const workerMessageSchema = deferred(() =>
  z.discriminatedUnion('kind', [
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
    /** a host refused more connections than these at once */
    z.object({
      kind: z.literal('host-limit'),
      ...fromWorker,
      host: z.string(),
      connections: z.number().int().min(1),
    }),
    /** `startTime` is empty on the wire: the pool, which knows how to look it up, fills it in */
    z.object({
      kind: z.literal('child-started'),
      ...fromWorker,
      pid: z.number().int(),
      startTime: z.string(),
    }),
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
    /** answer to `end-attempt`: nothing of the attempt is left here, the worker may take another one */
    z.object({ kind: z.literal('ended'), ...fromWorker }),
    z.object({
      kind: z.literal('outcome'),
      ...fromWorker,
      stepId: z.string(),
      outcome: stepOutcomeSchema,
      /** no other step is at work here: unless another one is ordered, this says what `ended` says */
      isLast: z.boolean(),
    }),
  ]),
)
export type WorkerMessage = z.infer<typeof workerMessageSchema>

/** A worker message without its envelope, as step executors send it. */
export type WorkerReport = WorkerMessage extends infer M
  ? M extends WorkerMessage
    ? Omit<M, 'attemptId' | 'token' | 'seq'>
    : never
  : never
