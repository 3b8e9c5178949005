/** When what a transfer has written is brought to the disk. Pure but for its memory; time comes in. */

/** Bytes between two checkpoints at most. */
const checkpointBytes = 64 * 1024 * 1024
/** Bytes that are synced without a record, so that the sync at the end, which somebody waits for, has little left to do. */
const aheadBytes = 16 * 1024 * 1024

export class SyncPlan {
  readonly #checkpointMs: number
  #checkpoint = { atMs: 0, received: 0 }
  #receivedAtSync = 0

  /** `checkpointMs`: time between two checkpoints at most. */
  constructor(checkpointMs: number) {
    this.#checkpointMs = checkpointMs
  }

  /** A transfer begins, with nothing received. */
  begin(nowMs: number): void {
    this.#checkpoint = { atMs: nowMs, received: 0 }
    this.#receivedAtSync = 0
  }

  /**
   * What is due once so many bytes are received, and counts as begun then. Ask only while nothing is being synced.
   * `records`: whether a checkpoint is of any use.
   */
  due(nowMs: number, received: number, records: boolean): 'checkpoint' | 'sync' | null {
    const { atMs, received: recorded } = this.#checkpoint
    const isLate = nowMs - atMs >= this.#checkpointMs || received - recorded >= checkpointBytes
    if (records && isLate) {
      this.#checkpoint = { atMs: nowMs, received }
      this.#receivedAtSync = received
      return 'checkpoint'
    }
    if (received - this.#receivedAtSync < aheadBytes) return null
    this.#receivedAtSync = received
    return 'sync'
  }
}
