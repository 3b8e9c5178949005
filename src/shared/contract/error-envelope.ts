/**
 * How an error looks over HTTP: one envelope everywhere, authentication included. The code decides the status;
 * statuses that say more than their code (404 for an unknown path, 405, 413, 414, 415, 421, 431) are the transport's.
 */
import { deferred, z } from '../validator.ts'
import type { ErrorCode, ErrorRecord } from '../errors.ts'
import { errorCodes } from '../errors.ts'

export const errorEnvelopeSchema = deferred(() =>
  z.object({
    status: z.literal('error'),
    error_code: z.enum(errorCodes),
    message: z.string(),
    /** the next step */
    hint: z.string(),
    /** ISO 8601, UTC */
    timestamp: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    /** whether the same request may succeed later without a change */
    retryable: z.boolean(),
  }),
)
export type ErrorEnvelope = z.infer<typeof errorEnvelopeSchema>

const statuses: Partial<Record<ErrorCode, number>> = {
  INVALID_INPUT: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  JOB_NOT_FOUND: 404,
  CONFLICT: 409,
  UNSUPPORTED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
}

/** HTTP status of an error. A job's error as the answer to a request (resolving a link) is 422. */
export function httpStatusOf(code: ErrorCode): number {
  return statuses[code] ?? 422
}

const retryable: readonly ErrorCode[] = ['RATE_LIMITED', 'INTERNAL', 'NETWORK_ERROR', 'TIMEOUT', 'HTTP_ERROR']

export function isRetryable(code: ErrorCode): boolean {
  return retryable.includes(code)
}

export function toErrorEnvelope(error: ErrorRecord, timestamp: string): ErrorEnvelope {
  return {
    status: 'error',
    error_code: error.code,
    message: error.message,
    hint: error.hint,
    timestamp,
    ...(error.details === undefined ? {} : { details: error.details }),
    retryable: isRetryable(error.code),
  }
}
