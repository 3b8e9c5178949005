/** Once an hour: terminal tasks leave the list after the retention period, history keeps its newest entries. */
import type { Settings } from '../../shared/settings.ts'
import type { Clock, TaskStore } from '../ports.ts'

const hourMs = 3_600_000

export interface HousekeepingParts {
  readonly clock: Clock
  readonly store: TaskStore
  readonly tasks: { clearEndedBefore(time: number): Promise<void> }
  settings(): Settings
  onFault(taskId: string | null, error: unknown): void
}

export class Housekeeping {
  readonly #parts: HousekeepingParts
  #cancel: (() => void) | null = null

  constructor(parts: HousekeepingParts) {
    this.#parts = parts
  }

  start(): void {
    void this.#tidy()
    this.#cancel = this.#parts.clock.after(hourMs, () => this.start())
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  async #tidy(): Promise<void> {
    const { clock, store, tasks } = this.#parts
    const { retentionHours, historyLimit } = this.#parts.settings()
    try {
      if (retentionHours > 0) await tasks.clearEndedBefore(clock.now() - retentionHours * hourMs)
      if (historyLimit > 0) await store.trimHistory(historyLimit)
    } catch (thrown) {
      this.#parts.onFault(null, thrown)
    }
  }
}
