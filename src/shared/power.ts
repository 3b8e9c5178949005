/** What the machine does when all is finished. Chosen anew in each life of the host: nobody finds it off by surprise. */
import { deferred, z } from './validator.ts'

/** What a host may be able to do; `none` any host can. */
export const powerActions = ['none', 'quit', 'sleep', 'shut-down'] as const
export type PowerAction = (typeof powerActions)[number]

export const powerPlanSchema = deferred(() =>
  z.object({
    action: z.enum(powerActions),
    /** when it will be carried out; null while something is still to be done */
    dueAt: z.number().int().nullable(),
    /** what this host can do */
    available: z.array(z.enum(powerActions)),
  }),
)
export type PowerPlan = z.infer<typeof powerPlanSchema>
