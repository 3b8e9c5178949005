/**
 * Makes a folder and what is missing above it. Node's own `recursive` goes round for ever where a folder is there and
 * the system says of one within that it is not, as it does in `/proc`; here its second such answer is the last.
 */
import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isMissing } from './file-errors.ts'

/**
 * `mode`: permissions of what is made, less the umask. Returns the uppermost folder that was made, undefined when all
 * was there (or a link to it). @throws what the system says
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    await mkdir(path, mode)
    return path
  } catch (error) {
    const above = dirname(path)
    if (isMissing(error) && above !== path) {
      const first = await makeFolder(above, mode)
      await mkdir(path, mode)
      return first ?? path
    }
    // drives and read-only folders are not said to be there, but to be forbidden
    const found = await stat(path).catch(() => null)
    if (found?.isDirectory() === true) return undefined
    throw error
  }
}

/** `makeFolder` before anything else can run. */
export function makeFolderSync(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, mode)
  } catch (error) {
    const above = dirname(path)
    if (isMissing(error) && above !== path) {
      makeFolderSync(above, mode)
      mkdirSync(path, mode)
      return
    }
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
  }
}
