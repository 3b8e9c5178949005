/**
 * The names in folders, folded. A folder that thousands of files go into is not read for each of them: who only needs
 * to guess is answered from what was read up to a second ago.
 */
import { readdir } from 'node:fs/promises'
import { foldPath } from '../core/names/fold-path.ts'
import { fileError, isMissing } from './file-errors.ts'
import { SharedWork } from './shared-work.ts'

const keptMs = 1000

/** None when the folder is not there. */
async function foldedNames(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set((await readdir(folder)).map((name) => foldPath(name)))
  } catch (error) {
    if (isMissing(error)) return new Set()
    throw fileError('The folder cannot be read', error)
  }
}

export class FolderListings {
  readonly #readings = new SharedWork(foldedNames)
  readonly #kept = new Map<string, Promise<ReadonlySet<string>>>()

  /** As the folder is after the call; those who ask while it is being read share the next reading. */
  now(folder: string): Promise<ReadonlySet<string>> {
    return this.#readings.run(folder)
  }

  /** As the folder was at some moment of the last second. */
  lately(folder: string): Promise<ReadonlySet<string>> {
    const kept = this.#kept.get(folder)
    if (kept !== undefined) return kept
    const fresh = this.now(folder)
    this.#kept.set(folder, fresh)
    const forget = () => this.#kept.delete(folder)
    setTimeout(forget, keptMs).unref()
    // what could not be read may be readable the next time
    fresh.catch(forget)
    return fresh
  }
}
