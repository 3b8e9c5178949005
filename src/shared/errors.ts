/**
 * The one error type of Sluice. Facts from the edge (errno, HTTP status, a broken playlist) become one of
 * these codes where they are met; everything behind that point decides by `code`, never by text.
 */

/** Errors of a request: the command itself could not be carried out. */
export const requestErrorCodes = [
  'INVALID_INPUT',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'JOB_NOT_FOUND',
  'CONFLICT',
  'UNSUPPORTED',
  'RATE_LIMITED',
  'INTERNAL',
] as const

/** Errors of a job: what went wrong while a task was carried out. */
export const jobErrorCodes = [
  'NETWORK_ERROR',
  'TIMEOUT',
  'HTTP_ERROR',
  'AUTH_FAILED',
  'NOT_FOUND',
  'LINK_EXPIRED',
  'REMOTE_CHANGED',
  'CHECKSUM_MISMATCH',
  'DRM_ERROR',
  'STORAGE_FULL',
  'STORAGE_UNAVAILABLE',
  'MUX_ERROR',
  'STALLED',
  'WORKER_CRASHED',
  'HOST_NOT_FOUND',
  'SEGMENTS_MISSING',
  'LOOKS_LIKE_A_PAGE',
  'TOO_SHORT',
  'DURATION_MISMATCH',
  'DOWNLOAD_ERROR',
] as const

export const errorCodes = [...requestErrorCodes, ...jobErrorCodes] as const
export type ErrorCode = (typeof errorCodes)[number]

/** Safe facts for the text of an error: never a secret, never a URL with credentials or a query. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean>>

/**
 * An error as it is stored, sent and shown. `message` says what happened, `hint` the next step. Its schema is in
 * `error-record-schema.ts`: whoever only raises errors carries no validator.
 */
export interface ErrorRecord {
  code: ErrorCode
  message: string
  hint: string
  details?: ErrorDetails | undefined
}

/** The next step that goes with a code unless the place that raises it knows a better one. */
const defaultHints: Record<ErrorCode, string> = {
  INVALID_INPUT: 'Correct the input and try again.',
  UNAUTHORIZED: 'Give the secret of this host.',
  FORBIDDEN: 'Choose a folder or address that is allowed.',
  JOB_NOT_FOUND: 'Refresh the list; the task may have been removed.',
  CONFLICT: 'Look at the state of the task and choose an operation that fits it.',
  UNSUPPORTED: 'Choose a link of a supported kind.',
  RATE_LIMITED: 'Wait a moment and try again.',
  INTERNAL: 'Try again; if it happens again, report it with the log.',
  NETWORK_ERROR: 'Check the connection; what arrived is kept.',
  TIMEOUT: 'Try again later; what arrived is kept.',
  HTTP_ERROR: 'Try again later, or check the link.',
  AUTH_FAILED: 'Sign in or give the headers that the host asks for, then retry.',
  NOT_FOUND: 'Check the link.',
  LINK_EXPIRED: 'Give a fresh link by editing the task; what arrived is kept.',
  REMOTE_CHANGED: 'Keep what arrived or download the new version from its beginning.',
  CHECKSUM_MISMATCH: 'Download it again, or check the given checksum.',
  DRM_ERROR: 'Protected streams cannot be downloaded.',
  STORAGE_FULL: 'Free space on the drive; what arrived is kept.',
  STORAGE_UNAVAILABLE: 'Make the folder available and writable; what arrived is kept.',
  MUX_ERROR: 'Retry, or download the tracks again.',
  STALLED: 'Retry; what arrived is kept.',
  WORKER_CRASHED: 'Retry; if it happens again, report it with the log.',
  HOST_NOT_FOUND: 'Check the host name in the link.',
  SEGMENTS_MISSING: 'Try again later, or finish without the missing parts.',
  LOOKS_LIKE_A_PAGE: 'Check the link: the host answered with a web page.',
  TOO_SHORT: 'Check the source, then download it again.',
  DURATION_MISMATCH: 'Keep the file as it is, or download it again.',
  DOWNLOAD_ERROR: 'Retry; if it happens again, report it with the log.',
}

/** An error with a stable code, a sentence for people and a next step. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError'
  readonly code: ErrorCode
  readonly hint: string
  readonly details: ErrorDetails | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; details?: ErrorDetails; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint ?? defaultHints[code]
    this.details = options.details
  }

  /** The form in which the error is stored and crosses boundaries; the cause stays behind. */
  toRecord(): ErrorRecord {
    return {
      code: this.code,
      message: this.message,
      hint: this.hint,
      ...(this.details === undefined ? {} : { details: { ...this.details } }),
    }
  }

  static fromRecord(record: ErrorRecord): SluiceError {
    return new SluiceError(record.code, record.message, {
      hint: record.hint,
      ...(record.details === undefined ? {} : { details: record.details }),
    })
  }
}

/** Any thrown value as a record; what is not a `SluiceError` is an `INTERNAL` fault whose text stays out of sight. */
export function toErrorRecord(thrown: unknown): ErrorRecord {
  if (thrown instanceof SluiceError) return thrown.toRecord()
  return new SluiceError('INTERNAL', 'Something went wrong inside the app').toRecord()
}
