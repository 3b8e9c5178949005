/**
 * Free space where files are about to be written. A look takes two changes of thread, which for a small file is as much
 * as writing it: while there was plenty a moment ago, that is believed for small ones.
 */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Files up to this size are small: they come over one connection and are written at once. */
export const smallFileBytes = 1024 * 1024
/** Beyond what others may fill up until the next look; a drive that is full all the same says so when it is written to. */
const plentyBytes = 1024 ** 3
const recentMs = 1000
const mostFolders = 64

/** Free bytes for this user on the volume of a folder. Rejects with an errno. */
async function look(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

export class VolumeRoom {
  readonly #now: () => number
  readonly #look: (folder: string) => Promise<number>
  /** by the folder beside whose files the working folders are */
  readonly #seen = new Map<string, { freeBytes: number; at: number }>()

  /** `now` is monotonic ms. */
  constructor(now: () => number = () => performance.now(), lookAt = look) {
    this.#now = now
    this.#look = lookAt
  }

  /** Free bytes for so many more in a file of this working folder, or of this name beside. Rejects with an errno. */
  async free(place: string, neededBytes: number): Promise<number> {
    const beside = dirname(place)
    const seen = this.#seen.get(beside)
    if (neededBytes <= smallFileBytes && seen !== undefined && this.#now() - seen.at < recentMs) {
      seen.freeBytes -= neededBytes
      if (seen.freeBytes >= plentyBytes) return seen.freeBytes
    }
    const freeBytes = await this.#look(beside)
    this.#seen.delete(beside)
    this.#seen.set(beside, { freeBytes: freeBytes - neededBytes, at: this.#now() })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > mostFolders && oldest !== undefined) this.#seen.delete(oldest)
    return freeBytes
  }
}
