/**
 * Brings a growing file to the disk while it is still being written, so that the sync at its end has little left
 * to do: on a slow drive that one would take minutes in which nothing seems to happen.
 */
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { codeOf } from '../transfer/trouble.ts'

const lookMs = 50
const stepBytes = 32 << 20

export class SyncAhead {
  readonly #path: string
  readonly #timer: NodeJS.Timeout
  #handle: FileHandle | null = null
  #syncedBytes = 0
  #running: Promise<void> | null = null
  #failure: { error: unknown } | null = null

  /** The file need not be there yet. */
  constructor(path: string) {
    this.#path = path
    this.#timer = setInterval(() => {
      this.#running ??= this.#look()
        .catch((error: unknown) => {
          this.#failure ??= { error }
        })
        .finally(() => {
          this.#running = null
        })
    }, lookMs)
  }

  async #look(): Promise<void> {
    this.#handle ??= await this.#open()
    if (this.#handle === null) return
    const { size } = await this.#handle.stat()
    if (size - this.#syncedBytes < stepBytes) return
    await this.#handle.datasync()
    this.#syncedBytes = size
  }

  async #open(): Promise<FileHandle | null> {
    try {
      return await open(this.#path, 'r+')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    }
  }

  /**
   * Ends it; the file is not whole on the disk by that. Rejects with the errno of a sync that failed: the system
   * tells such a failure once, and a later sync that succeeds proves nothing.
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
    await this.#handle?.close()
    if (this.#failure !== null) throw this.#failure.error
  }
}
