import Database from 'better-sqlite3'
import { SluiceError } from '../../shared/errors.ts'

/** The file is not a sound database of ours, whatever SQLite says of it. */
export class DamagedDatabase extends Error {}

export function isDamage(thrown: unknown): boolean {
  if (thrown instanceof DamagedDatabase) return true
  return thrown instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code)
}

/** What SQLite or the file system said, as one of our codes. */
export function storageError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  const details = code === '' ? {} : { details: { reason: code } }
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code)) {
    return new SluiceError('STORAGE_FULL', 'The drive with the task list is full', {
      hint: 'Free space on the drive that holds the data folder.',
      ...details,
      cause: thrown,
    })
  }
  if (/^(SQLITE_(IOERR|READONLY|CANTOPEN|PERM|BUSY|LOCKED|NOLFS)|E[A-Z]+$)/.test(code)) {
    return new SluiceError('STORAGE_UNAVAILABLE', 'The task list cannot be read or written', {
      hint: 'Make the data folder available and writable.',
      ...details,
      cause: thrown,
    })
  }
  return new SluiceError('INTERNAL', 'The task list could not be read or written', {
    ...details,
    cause: thrown,
  })
}
