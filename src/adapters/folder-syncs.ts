/** Syncs of folders for many files: those whose names came in one turn, and while a sync ran, share one. */
import { SharedWork } from './shared-work.ts'
import { syncFolder } from './sync-folder.ts'

export class FolderSyncs {
  readonly #syncs: SharedWork<void>
  /** asked for in this turn */
  readonly #asked = new Map<string, Promise<void>>()

  constructor(sync: (folder: string) => Promise<void> = syncFolder) {
    this.#syncs = new SharedWork(sync)
  }

  /** Makes the names that are in the folder durable. Rejects with an errno. */
  run(folder: string): Promise<void> {
    const asked = this.#asked.get(folder)
    if (asked !== undefined) return asked
    const fresh = new Promise<void>((resolve, reject) => {
      setImmediate(() => {
        this.#asked.delete(folder)
        this.#syncs.run(folder).then(resolve, reject)
      })
    })
    this.#asked.set(folder, fresh)
    return fresh
  }
}
