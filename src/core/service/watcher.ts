/**
 * One connection's window on the list: membership and order, the rows it was sent, and the revision of its
 * events. Revisions count per connection without gaps, so a client sees when it missed one.
 */
import type { ListQuery, ListWindow, TaskRow } from '../../shared/view.ts'
import type { SendEvent } from '../service.ts'
import type { RowPatch } from './patch.ts'
import { patchOf } from './patch.ts'

export class Watcher {
  readonly send: SendEvent
  readonly #epoch: string
  #revision = 0
  query: ListQuery | null = null
  /** membership or order may have changed */
  stale = false
  /** monotonic ms of the last window sent */
  sentAt = 0
  #window: ListWindow | null = null
  readonly #rows = new Map<string, TaskRow>()
  /** what ends each look-up of this connection that is on its way */
  readonly #lookups = new Map<string, () => void>()

  constructor(send: SendEvent, epoch: string) {
    this.send = send
    this.#epoch = epoch
  }

  watch(query: ListQuery | null): void {
    this.query = query
    this.#window = null
    this.#rows.clear()
    this.stale = query !== null
  }

  /** Remembers a look-up until the returned function is called; one under the same id is cancelled. */
  noteLookup(id: string, cancel: () => void): () => void {
    this.cancelLookup(id)
    this.#lookups.set(id, cancel)
    return () => {
      if (this.#lookups.get(id) === cancel) this.#lookups.delete(id)
    }
  }

  /** Whether there was one. */
  cancelLookup(id: string): boolean {
    this.#lookups.get(id)?.()
    return this.#lookups.delete(id)
  }

  /** The connection is gone: nobody waits for its look-ups. */
  close(): void {
    for (const id of [...this.#lookups.keys()]) this.cancelLookup(id)
  }

  watches(taskId: string): boolean {
    return this.#rows.has(taskId)
  }

  watchedIds(): string[] {
    return [...this.#rows.keys()]
  }

  /** Takes note of rows that reached the client by another way, so that the next patch is from those. */
  noteSent(rows: readonly TaskRow[]): void {
    for (const row of rows) {
      if (this.#rows.has(row.id)) this.#rows.set(row.id, row)
    }
  }

  /** Sends the window when it differs from the last one, with the rows that the client does not have. */
  sendWindow(window: ListWindow, rows: readonly TaskRow[]): void {
    const before = this.#window
    this.#window = window
    if (before !== null && JSON.stringify(before) === JSON.stringify(window)) return
    const known = new Set(this.#rows.keys())
    const shown = new Set(window.ids)
    for (const id of known) {
      if (!shown.has(id)) this.#rows.delete(id)
    }
    const fresh = rows.filter((row) => !known.has(row.id))
    for (const row of fresh) this.#rows.set(row.id, row)
    this.send('list.window', { epoch: this.#epoch, revision: ++this.#revision, window, rows: fresh })
  }

  /** Sends what differs of these rows; rows outside the window are left out. */
  sendRows(rows: readonly TaskRow[]): void {
    const patches: RowPatch[] = []
    for (const row of rows) {
      const sent = this.#rows.get(row.id)
      if (sent === undefined) continue
      const patch = patchOf(sent, row)
      if (patch === null) continue
      this.#rows.set(row.id, row)
      patches.push(patch)
    }
    if (patches.length === 0) return
    this.send('tasks.changed', { epoch: this.#epoch, revision: ++this.#revision, patches })
  }

  sendRemoved(ids: readonly string[]): void {
    const gone = ids.filter((id) => this.#rows.delete(id))
    if (gone.length === 0) return
    // the client has taken them out of what it shows: should one come back, the same window is news
    this.#window = null
    this.send('tasks.removed', { epoch: this.#epoch, revision: ++this.#revision, ids: gone })
  }
}
