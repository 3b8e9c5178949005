import { SluiceError } from '../shared/errors.ts'

export function errnoOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

export function isMissing(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errnoOf(thrown))
}

/** An error of the system about a place on disk, as one of our codes. */
export function fileError(message: string, thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown
  const errno = errnoOf(thrown)
  const isFull = errno === 'ENOSPC' || errno === 'EDQUOT'
  return new SluiceError(isFull ? 'STORAGE_FULL' : 'STORAGE_UNAVAILABLE', message, {
    details: { errno },
    cause: thrown,
  })
}
