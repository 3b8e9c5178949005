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
    return (await makeOne(path, mode)) ? path : undefined
  } catch (error) {
    const above = dirname(path)
    if (!isMissing(error) || above === path) throw error
    const first = await makeFolder(above, mode)
    return (await makeOne(path, mode)) ? (first ?? path) : first
  }
}

/** False when the folder is there, also when somebody else makes it meanwhile. */
async function makeOne(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, mode)
    return true
  } catch (error) {
    // drives and read-only folders are not said to be there, but to be forbidden
    const found = await stat(path).catch(() => null)
    if (found?.isDirectory() === true) return false
    throw error
  }
}

/** `makeFolder` before anything else can run. */
export function makeFolderSync(path: string, mode = 0o777): void {
  try {
    makeOneSync(path, mode)
  } catch (error) {
    const above = dirname(path)
    if (!isMissing(error) || above === path) throw error
    makeFolderSync(above, mode)
    makeOneSync(path, mode)
  }
}

function makeOneSync(path: string, mode: number): void {
  try {
    mkdirSync(path, mode)
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
  }
}
