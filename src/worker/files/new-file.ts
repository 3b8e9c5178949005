/**
 * Makes the files that downloads are written to: exclusively, and never through a link, so that nobody who can write in
 * the folder has the worker write elsewhere. What is there under the name an earlier attempt left, without a record of
 * it: it is removed.
 */
import { constants, openSync, unlinkSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, unlink } from 'node:fs/promises'
import { codeOf } from '../transfer/trouble.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants
const flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR
/** less what the user's mask takes */
const mode = 0o666

/** A new file, open to be read and written. Rejects with what the system says. */
export async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, flags, mode)
  } catch (thrown) {
    if (!isTaken(thrown)) throw thrown
    await unlink(path)
    return open(path, flags, mode)
  }
}

/** The same on the spot: its descriptor. Throws what the system says. */
export function openNewSync(path: string): number {
  try {
    return openSync(path, flags, mode)
  } catch (thrown) {
    if (!isTaken(thrown)) throw thrown
    unlinkSync(path)
    return openSync(path, flags, mode)
  }
}

function isTaken(thrown: unknown): boolean {
  return codeOf(thrown) === 'EEXIST'
}
