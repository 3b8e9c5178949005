/**
 * Conditions that are not one task's own, held once each with one prober: asked after 5 s, doubling to 5 min.
 * Ten thousand waiting tasks and a dead network cost one probe at a time.
 */
import type { ErrorRecord } from '../../shared/errors.ts'
import type { Clock } from '../ports.ts'

export const firstProbeMs = 5000
export const longestProbeMs = 300_000

export interface Condition {
  /** what it holds back: `offline`, a host, a volume */
  readonly key: string
  /** why tasks that wait for it are not eligible */
  readonly error: ErrorRecord
  /** whether it is over; throwing means that it is not */
  probe(): Promise<boolean>
  /** What it paused returns to the queue: before those that it held back may start. */
  onEnd(): Promise<void>
}

interface Held {
  condition: Condition
  cancel: () => void
  isProbing: boolean
  /** somebody wants to go on and waits for the answer */
  isAwaited: boolean
  isEnding: boolean
  /** came up again while it was ending */
  next: Condition | null
}

export class HeldConditions {
  readonly #clock: Clock
  readonly #onChange: () => void
  readonly #held = new Map<string, Held>()
  #closed = false

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /** Holds it, unless it is held already. */
  hold(condition: Condition): void {
    if (this.#closed) return
    const known = this.#held.get(condition.key)
    if (known?.isEnding === true) known.next = condition
    if (known !== undefined) return
    const held: Held = {
      ...{ condition, cancel: () => undefined, next: null },
      ...{ isProbing: false, isAwaited: false, isEnding: false },
    }
    this.#held.set(condition.key, held)
    this.#arm(held, firstProbeMs)
    this.#onChange()
  }

  get(key: string): ErrorRecord | null {
    return this.#held.get(key)?.condition.error ?? null
  }

  /** Probes it now, and in the usual steps if it is not over: somebody wants to go on. */
  askNow(key: string): void {
    const held = this.#held.get(key)
    if (held === undefined || held.isEnding) return
    held.isAwaited = true
    if (held.isProbing) return
    held.cancel()
    void this.#probe(held, firstProbeMs / 2)
  }

  /** Whether it may be over in a moment: `askNow` has no answer yet. */
  isAwaited(key: string): boolean {
    return this.#held.get(key)?.isAwaited ?? false
  }

  /** Lets it go without a probe, also without telling that it ended. */
  drop(key: string): void {
    this.#held.get(key)?.cancel()
    if (this.#held.delete(key)) this.#onChange()
  }

  close(): void {
    this.#closed = true
    for (const held of this.#held.values()) held.cancel()
    this.#held.clear()
  }

  #arm(held: Held, waitMs: number): void {
    held.cancel = this.#clock.after(waitMs, () => void this.#probe(held, waitMs))
  }

  async #probe(held: Held, waitMs: number): Promise<void> {
    const { condition } = held
    held.isProbing = true
    // A probe that fails in itself proves nothing: the condition stays.
    const over = await condition.probe().catch(() => false)
    held.isProbing = false
    if (this.#held.get(condition.key) !== held) return
    if (over) {
      await this.#end(held)
      return
    }
    this.#arm(held, Math.min(longestProbeMs, waitMs * 2))
    if (!held.isAwaited) return
    held.isAwaited = false
    this.#onChange()
  }

  async #end(held: Held): Promise<void> {
    const { condition } = held
    held.isEnding = true
    await condition.onEnd()
    if (this.#held.get(condition.key) !== held) return
    this.#held.delete(condition.key)
    if (held.next !== null) this.hold(held.next)
    this.#onChange()
  }
}
