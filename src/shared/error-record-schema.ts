/** The schema of an error that crosses a boundary. */
import { deferred, z } from './validator.ts'
import { errorCodes } from './errors.ts'
import type { ErrorRecord } from './errors.ts'

export const errorRecordSchema = deferred(() =>
  z.object({
    code: z.enum(errorCodes),
    message: z.string(),
    hint: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  }),
) satisfies z.ZodType<ErrorRecord>
