/**
 * Every event. Revisions rise within an epoch, which is new at each host start; a client that connects, falls
 * behind or sees a gap asks for a snapshot (`list.query`).
 */
import { deferred, z } from '../validator.ts'
import { errorRecordSchema } from '../error-record-schema.ts'
import { powerPlanSchema } from '../power.ts'
import { settingsSchema } from '../settings.ts'
import { listQuerySchema, listWindowSchema, taskRowSchema } from '../view.ts'
import type { EventName } from './names.ts'

export const events = {
  /** coalesced: at most 5 a second, only tasks that changed, only fields that differ from what was last sent */
  'tasks.changed': deferred(() =>
    z.object({
      epoch: z.string(),
      revision: z.number().int(),
      patches: z.array(taskRowSchema.partial().required({ id: true })),
    }),
  ),
  'tasks.removed': deferred(() =>
    z.object({ epoch: z.string(), revision: z.number().int(), ids: z.array(z.string()) }),
  ),
  /** to one watcher: membership or order of its window changed */
  'list.window': deferred(() =>
    z.object({
      epoch: z.string(),
      revision: z.number().int(),
      window: listWindowSchema,
      /** rows the watcher does not have yet */
      rows: z.array(taskRowSchema),
    }),
  ),
  'settings.changed': settingsSchema,
  /** something a person should see */
  notice: deferred(() =>
    z.object({
      kind: z.enum(['completed', 'failed', 'all-finished', 'paused', 'storage-warning', 'fault']),
      taskId: z.string().nullable(),
      title: z.string(),
      error: errorRecordSchema.nullable(),
      /** of `all-finished`: how the tasks ended since the last time */
      counts: z
        .object({ completed: z.number().int(), failed: z.number().int(), cancelled: z.number().int() })
        .optional(),
    }),
  ),
  /** what follows when all is finished, and from when it counts down (ms since 1970; null: not yet) */
  'power.changed': powerPlanSchema,
  /** once a second */
  stats: deferred(() =>
    z.object({ bytesPerSecond: z.number(), running: z.number().int(), waiting: z.number().int() }),
  ),
  /** links that came from outside (a second start, the `sluice:` protocol): shown in the add dialog, never just added */
  'links.offered': deferred(() => z.object({ links: z.array(z.string()) })),
} as const satisfies Record<EventName, z.ZodType>

export type Events = { [N in EventName]: z.infer<(typeof events)[N]> }

/** The watch command of a connection; WebSocket and IPC only. `null` ends the watch. */
export const listWatchSchema = deferred(() => listQuerySchema.nullable())
