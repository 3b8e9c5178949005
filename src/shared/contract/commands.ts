/** Every command: its input schema and its result. Hosts bind by iterating over this table. */
import { deferred, z } from '../validator.ts'
import { errorRecordSchema } from '../error-record-schema.ts'
import { powerActions, powerPlanSchema } from '../power.ts'
import { settingsSchema } from '../settings.ts'
import { accessSchema } from '../task/access.ts'
import { jobSchema } from '../task/model.ts'
import { headersSchema } from '../task/resource.ts'
import { listFilters, listQuerySchema, listWindowSchema, taskDetailsSchema, taskRowSchema } from '../view.ts'
import type { CommandName, DesktopCommandName } from './names.ts'

const id = deferred(() => z.string().min(1).max(64))

/** Commands over many rows take ids or the query that shows them. */
export const targetSchema = deferred(() =>
  z.union([
    z.strictObject({ ids: z.array(id).min(1).max(10_000) }),
    z.strictObject({ query: z.strictObject({ filter: z.enum(listFilters), search: z.string().max(200) }) }),
  ]),
)
export type Target = z.infer<typeof targetSchema>

/** The answer of an operation for each task it was asked of. */
export const operationResultSchema = deferred(() =>
  z.object({
    results: z.array(
      z.discriminatedUnion('kind', [
        /** `changed: false`: the goal already held */
        z.object({ kind: z.literal('done'), id: z.string(), jobId: z.string(), changed: z.boolean() }),
        z.object({ kind: z.literal('refused'), id: z.string(), error: errorRecordSchema }),
      ]),
    ),
  }),
)
export type OperationResult = z.infer<typeof operationResultSchema>

/** What the user can say about new tasks; everything else comes from the settings. */
export const addOptionsSchema = deferred(() =>
  z.strictObject({
    folder: z.string().max(4096).optional(),
    /** only with one link or a pair */
    name: z.string().min(1).max(255).optional(),
    headers: headersSchema.max(100).optional(),
    connections: z.number().int().min(1).max(16).optional(),
    speedLimitBytesPerSecond: z.number().int().positive().optional(),
    checksum: z.string().max(200).optional(),
    proxy: z.string().max(2000).optional(),
    direct: z.boolean().optional(),
    access: accessSchema.optional(),
    /** what `links.lookup` found: asked again when it is unknown or older than ten minutes; of one link only */
    planId: id.optional(),
    /** positions of the wanted files in that plan; absent: those that it prefers */
    files: z.array(z.number().int().nonnegative()).min(1).max(100_000).optional(),
    /**
     * A link that is in the list for this folder already: `allow` (default) downloads it under a new name, `ask` is
     * refused with `CONFLICT` and `details.duplicateOf`, `use` makes a complete task that shares the file, where there
     * is one that is whole.
     */
    duplicates: z.enum(['allow', 'ask', 'use']).optional(),
    startPaused: z.boolean().optional(),
    priority: z.enum(['normal', 'front']).optional(),
  }),
)
export type AddOptions = z.infer<typeof addOptionsSchema>

const addInputSchema = deferred(() =>
  z.union([
    z.strictObject({
      links: z.array(z.string().max(8192)).min(1).max(10_000),
      options: addOptionsSchema.optional(),
    }),
    z.strictObject({
      pair: z.strictObject({ video: z.string().max(8192), audio: z.string().max(8192) }),
      options: addOptionsSchema.optional(),
    }),
  ]),
)

const target = { input: targetSchema, result: operationResultSchema }

/** Table of commands. An input that does not fit its schema is answered `INVALID_INPUT` and changes nothing. */
export const commands = {
  'app.info': {
    input: deferred(() => z.strictObject({})),
    result: deferred(() =>
      z.object({
        version: z.string(),
        host: z.enum(['electron', 'server', 'cli']),
        /** desktop commands this host can carry out */
        capabilities: z.array(z.string()),
        ffmpeg: z.object({ path: z.string(), version: z.string() }).nullable(),
        platform: z.string(),
      }),
    ),
  },
  'tasks.add': {
    input: addInputSchema,
    result: deferred(() =>
      z.object({
        /** one per link, in order; a link that is refused does not keep the others out */
        results: z.array(
          z.discriminatedUnion('kind', [
            z.object({ kind: z.literal('added'), link: z.string(), id: z.string(), jobId: z.string() }),
            z.object({ kind: z.literal('refused'), link: z.string(), error: errorRecordSchema }),
          ]),
        ),
      }),
    ),
  },
  'tasks.details': { input: deferred(() => z.strictObject({ id })), result: taskDetailsSchema },
  'tasks.rows': {
    input: deferred(() => z.strictObject({ ids: z.array(id).max(500) })),
    result: deferred(() => z.object({ rows: z.array(taskRowSchema) })),
  },
  'tasks.pause': target,
  'tasks.restart': target,
  'tasks.cancel': target,
  'tasks.delete': {
    input: deferred(() =>
      z.strictObject({ target: targetSchema, deleteFiles: z.boolean(), undoable: z.boolean() }),
    ),
    result: operationResultSchema,
  },
  'tasks.undoDelete': target,
  'tasks.redownload': target,
  'tasks.edit': {
    input: deferred(() =>
      z.strictObject({
        id,
        link: z.string().max(8192).optional(),
        folder: z.string().max(4096).optional(),
        name: z.string().min(1).max(255).optional(),
        headers: headersSchema.max(100).optional(),
        connections: z.number().int().min(1).max(16).nullable().optional(),
        speedLimitBytesPerSecond: z.number().int().positive().nullable().optional(),
        deleteFiles: z.boolean(),
        startAfterEdit: z.boolean(),
        /** of `tasks.previewEdit` with the same link and headers: it is not looked up again */
        planId: id.optional(),
      }),
    ),
    result: operationResultSchema,
  },
  /** what another link would mean, before anything is changed: it is looked up, and its data compared with what is there */
  'tasks.previewEdit': {
    input: deferred(() =>
      z.strictObject({
        id,
        link: z.string().max(8192),
        headers: headersSchema.max(100).optional(),
        lookupId: id.optional(),
      }),
    ),
    result: deferred(() =>
      z.object({
        planId: z.string(),
        /** false: what has arrived would be fetched again */
        keepsData: z.boolean(),
        title: z.string(),
        files: z.array(z.object({ name: z.string(), size: z.number().int().nonnegative().nullable() })),
      }),
    ),
  },
  'tasks.select': {
    input: deferred(() => z.strictObject({ id, selected: z.array(id).max(100_000) })),
    result: operationResultSchema,
  },
  'tasks.review': {
    input: deferred(() =>
      z.strictObject({ id, answer: z.enum(['keep', 'redo', 'discard', 'finish-without']) }),
    ),
    result: operationResultSchema,
  },
  'tasks.retrySkipped': target,
  /** `endedJobs`: by jobs that have ended, whatever their tasks do now; refusals name the job */
  'tasks.retryAsNew': {
    input: deferred(() =>
      z.union([targetSchema, z.strictObject({ endedJobs: z.array(id).min(1).max(500) })]),
    ),
    result: operationResultSchema,
  },
  'tasks.move': {
    input: deferred(() =>
      z.strictObject({
        ids: z.array(id).min(1).max(10_000),
        /** place before this waiting task; null is the tail */
        before: z.union([id, z.literal('front')]).nullable(),
      }),
    ),
    result: operationResultSchema,
  },
  'tasks.startNow': { input: deferred(() => z.strictObject({ id })), result: operationResultSchema },
  'tasks.clearFinished': {
    input: deferred(() => z.strictObject({})),
    result: deferred(() => z.object({ removed: z.number().int() })),
  },
  'list.query': {
    input: listQuerySchema,
    result: deferred(() => listWindowSchema.extend({ rows: z.array(taskRowSchema) })),
  },
  'history.list': {
    input: deferred(() =>
      z.strictObject({
        limit: z.number().int().min(1).max(1000),
        service: z.string().max(200).optional(),
      }),
    ),
    result: deferred(() => z.object({ entries: z.array(jobSchema) })),
  },
  'history.remove': {
    input: deferred(() => z.strictObject({ jobId: id })),
    result: deferred(() => z.object({})),
  },
  /** jobs by their ids, current and ended ones; those that do not exist are left out */
  'jobs.get': {
    input: deferred(() => z.strictObject({ jobIds: z.array(id).max(500) })),
    result: deferred(() => z.object({ jobs: z.array(jobSchema) })),
  },
  /** what a link offers, without a task; fails with the error that a task with this link would have */
  'links.lookup': {
    input: deferred(() =>
      z.strictObject({
        link: z.string().max(8192),
        headers: headersSchema.max(100).optional(),
        proxy: z.string().max(2000).optional(),
        direct: z.boolean().optional(),
        /** chosen by the caller, for `links.cancelLookup` */
        lookupId: id.optional(),
      }),
    ),
    result: deferred(() =>
      z.object({
        /** `tasks.add` takes it for ten minutes */
        planId: z.string(),
        title: z.string(),
        service: z.string(),
        files: z.array(z.object({ name: z.string(), size: z.number().int().nonnegative().nullable() })),
      }),
    ),
  },
  /** of the same connection; `cancelled: false`: there is none on its way */
  'links.cancelLookup': {
    input: deferred(() => z.strictObject({ lookupId: id })),
    result: deferred(() => z.object({ cancelled: z.boolean() })),
  },
  'power.get': { input: deferred(() => z.strictObject({})), result: powerPlanSchema },
  /** `none` also stops a countdown; `UNSUPPORTED` when this host cannot do it */
  'power.set': {
    input: deferred(() => z.strictObject({ action: z.enum(powerActions) })),
    result: powerPlanSchema,
  },
  'settings.get': { input: deferred(() => z.strictObject({})), result: settingsSchema },
  'settings.set': { input: deferred(() => settingsSchema.partial().strict()), result: settingsSchema },
} as const satisfies Record<CommandName, { input: z.ZodType; result: z.ZodType }>

export const desktopCommands = {
  'desktop.pickFolder': {
    input: deferred(() => z.strictObject({ current: z.string().max(4096) })),
    result: deferred(() => z.object({ folder: z.string().nullable() })),
  },
  'desktop.openFile': { input: deferred(() => z.strictObject({ id })), result: deferred(() => z.object({})) },
  'desktop.showInFolder': {
    input: deferred(() => z.strictObject({ id })),
    result: deferred(() => z.object({})),
  },
} as const satisfies Record<DesktopCommandName, { input: z.ZodType; result: z.ZodType }>

export type Commands = typeof commands & typeof desktopCommands
export type CommandInput<N extends keyof Commands> = z.infer<Commands[N]['input']>
export type CommandResult<N extends keyof Commands> = z.infer<Commands[N]['result']>
