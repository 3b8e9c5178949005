/**
 * What can go wrong while bytes are fetched, as data: an error for people and an advice for the policy. Facts
 * of the edge (errno, TLS codes, statuses) become a `Trouble` where they are met; `step-outcome.ts` decides.
 */
import { constants } from 'node:os'
import { SluiceError } from '../../shared/errors.ts'
import type { ErrorCode, ErrorDetails } from '../../shared/errors.ts'

/**
 * - `retry`: may heal by itself
 * - `no-such-host`: the name does not exist, as far as its resolver knows
 * - `source`: the link answers 401, 403, 404 or 410: a fresh one may go on
 * - `changed`: the resource is not the one whose bytes are held
 * - `permanent`: trying again gives the same
 * - `review`: it works, but looks wrong
 * - `storage`: the volume; resumes by itself when it is well
 * - `storage-stuck`: the volume; does not resume by itself
 * - `damaged`: EIO or a failed sync: what is not checkpointed cannot be trusted
 */
export type Advice =
  | 'retry'
  | 'no-such-host'
  | 'source'
  | 'changed'
  | 'permanent'
  | 'review'
  | 'storage'
  | 'storage-stuck'
  | 'damaged'

export class Trouble extends Error {
  override readonly name = 'Trouble'
  readonly advice: Advice
  readonly error: SluiceError
  /** what the host asked for (Retry-After), null when it did not */
  readonly retryAfterMs: number | null
  /** status of the answer, null when there was none */
  readonly status: number | null

  constructor(
    advice: Advice,
    error: SluiceError,
    facts: { retryAfterMs?: number | null; status?: number | null } = {},
  ) {
    super(error.message, { cause: error })
    this.advice = advice
    this.error = error
    this.retryAfterMs = facts.retryAfterMs ?? null
    this.status = facts.status ?? null
  }
}

/** Shorthand for a trouble with a fresh error. */
export function trouble(
  advice: Advice,
  code: ErrorCode,
  message: string,
  options: { details?: ErrorDetails; cause?: unknown; hint?: string } = {},
): Trouble {
  return new Trouble(advice, new SluiceError(code, message, options))
}

/** errno or TLS code of a thrown value, '' when it has none. */
export function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return ''
  const code = typeof thrown.code === 'string' ? thrown.code : ''
  // libuv has no name for some errors (EDQUOT among them); the system's constants do.
  if (!code.startsWith('Unknown system error') || !('errno' in thrown)) return code
  const { errno } = thrown
  return Object.entries(constants.errno).find(([, value]) => value === -Number(errno))?.[0] ?? code
}

const certificateCodes =
  /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(VERIFY|GET|DECRYPT|DECODE)|HOSTNAME_MISMATCH|INVALID_CA)/

/**
 * A failure of a socket, of name resolution or of TLS. `host` is a name without credentials; `unusableFile`: the user's
 * file of authorities when it could not be read, which may be why a certificate is not trusted.
 */
export function networkTrouble(thrown: unknown, host: string, unusableFile: string | null = null): Trouble {
  if (thrown instanceof Trouble) return thrown
  const code = codeOf(thrown)
  const options = { details: { host, ...(code === '' ? {} : { reason: code }) }, cause: thrown }
  if (code === 'ENOTFOUND') {
    return trouble('no-such-host', 'HOST_NOT_FOUND', `The host ${host} does not exist`, options)
  }
  if (certificateCodes.test(code)) {
    return trouble('permanent', 'NETWORK_ERROR', `The certificate of ${host} cannot be trusted (${code})`, {
      ...options,
      hint:
        unusableFile === null
          ? 'Check the link. Only if you know why it is bad, let this task take this host without checking.'
          : `The certificates in ${unusableFile} could not be used: choose another file in the settings.`,
    })
  }
  if (/NO_APPLICATION_PROTOCOL/.test(code)) {
    return trouble('permanent', 'UNSUPPORTED', `The host ${host} speaks neither HTTP/1.1 nor HTTP/2`, options)
  }
  switch (code) {
    case 'ECONNREFUSED':
      return trouble('retry', 'NETWORK_ERROR', `The host ${host} refused the connection`, options)
    case 'ECONNRESET':
    case 'EPIPE':
      return trouble('retry', 'NETWORK_ERROR', `The connection to ${host} was broken`, options)
    case 'ETIMEDOUT':
      return trouble('retry', 'TIMEOUT', `The host ${host} did not answer in time`, options)
    case 'EAI_AGAIN':
      return trouble('retry', 'NETWORK_ERROR', `The name ${host} could not be looked up`, options)
    default:
      return trouble('retry', 'NETWORK_ERROR', `The connection to ${host} failed`, options)
  }
}

/** The host refused the protocol that was offered in the TLS handshake. */
export function isProtocolRefused({ error }: Trouble): boolean {
  return /NO_APPLICATION_PROTOCOL/.test(String(error.details?.['reason'] ?? ''))
}

/** An answer that breaks the rules of HTTP; asking again may reach a better server. */
export function protocolTrouble(what: string): Trouble {
  return trouble('retry', 'HTTP_ERROR', `The host sent an answer that is not valid HTTP: ${what}`)
}

const fullCodes = new Set(['ENOSPC', 'EDQUOT'])
const damagedCodes = new Set(['EIO', 'EREMOTEIO', 'EUCLEAN'])

/** A failure of a file operation. `path` is the file or folder that it concerned. */
export function storageTrouble(thrown: unknown, path: string): Trouble {
  if (thrown instanceof Trouble) return thrown
  const code = codeOf(thrown)
  const options = { details: { path, ...(code === '' ? {} : { reason: code }) }, cause: thrown }
  if (fullCodes.has(code)) {
    return trouble('storage', 'STORAGE_FULL', 'There is no space left for the file', options)
  }
  if (damagedCodes.has(code)) {
    return trouble('damaged', 'STORAGE_UNAVAILABLE', 'The drive reported a read or write error', {
      ...options,
      hint: 'Check the drive, then resume; what was safely written is kept.',
    })
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    return trouble('retry', 'DOWNLOAD_ERROR', 'Too many files are open at the moment', options)
  }
  if (code === 'ENAMETOOLONG') {
    return trouble(
      'storage-stuck',
      'STORAGE_UNAVAILABLE',
      'The path of the file is too long for this drive',
      {
        ...options,
        hint: 'Choose a folder with a shorter path.',
      },
    )
  }
  if (code === 'EFBIG') {
    return trouble('storage-stuck', 'STORAGE_UNAVAILABLE', 'The file is too large for this drive', {
      ...options,
      hint: 'Choose a folder on a drive that takes files of this size.',
    })
  }
  return trouble('storage', 'STORAGE_UNAVAILABLE', 'The folder cannot be written', options)
}
