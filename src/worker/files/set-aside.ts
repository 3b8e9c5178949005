/** The partial of the version before: it stays beside the new one until that has passed it. */
import { unlink } from 'node:fs/promises'
import { totalBytes } from '../transfer/range-set.ts'
import type { PartialFile } from './partial-file.ts'

export class SetAside {
  #old: { path: string; bytes: number } | null = null

  /** Takes a partial out of the way and closes it. Throws a storage `Trouble`. */
  async take(file: PartialFile): Promise<void> {
    const path = `${file.path}.old`
    const bytes = totalBytes(file.durable)
    try {
      await file.moveAside(path)
      this.#old = { path, bytes }
    } finally {
      await file.close()
    }
  }

  /** Removes it once as many bytes of the new one are written. */
  drop(written: number): void {
    if (this.#old === null || written < this.#old.bytes) return
    // What cannot be removed now goes with the working folder.
    unlink(this.#old.path).catch(() => null)
    this.#old = null
  }
}
