/**
 * What follows when all is finished: the host can do it, the user chose it for this time, and a minute is left to
 * think better of it. New work ends the countdown, not the choice.
 */
import { SluiceError } from '../../shared/errors.ts'
import type { PowerAction, PowerPlan as Plan } from '../../shared/power.ts'
import type { Clock } from '../ports.ts'

export const countdownMs = 60_000

/** What a host can do; each resolves when it is on its way. */
export type PowerHooks = Partial<Record<Exclude<PowerAction, 'none'>, () => Promise<void>>>

export interface PowerPlanParts {
  readonly clock: Clock
  readonly hooks: PowerHooks
  onChange(plan: Plan): void
  onFault(taskId: string | null, error: unknown): void
}

export class PowerPlan {
  readonly #parts: PowerPlanParts
  #action: PowerAction = 'none'
  #dueAt: number | null = null
  #cancel: (() => void) | null = null

  constructor(parts: PowerPlanParts) {
    this.#parts = parts
  }

  get(): Plan {
    const { hooks } = this.#parts
    const able = (['quit', 'sleep', 'shut-down'] as const).filter((action) => hooks[action] !== undefined)
    return { action: this.#action, dueAt: this.#dueAt, available: ['none', ...able] }
  }

  /** @throws SluiceError `UNSUPPORTED` */
  set(action: PowerAction): Plan {
    if (!this.get().available.includes(action)) {
      throw new SluiceError('UNSUPPORTED', 'This host cannot do that when all is finished')
    }
    this.#stop()
    this.#action = action
    return this.#tell()
  }

  /** Nothing runs, stops or waits any more. */
  allFinished(): void {
    if (this.#action === 'none' || this.#dueAt !== null) return
    this.#dueAt = this.#parts.clock.now() + countdownMs
    this.#cancel = this.#parts.clock.after(countdownMs, () => void this.#carryOut())
    this.#tell()
  }

  /** There is something to do again. */
  workBegan(): void {
    if (this.#dueAt === null) return
    this.#stop()
    this.#tell()
  }

  close(): void {
    this.#stop()
  }

  #stop(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#dueAt = null
  }

  /** Once: after a sleep the machine must not fall asleep again at the end of the next task. */
  async #carryOut(): Promise<void> {
    const action = this.#action
    this.#stop()
    this.#action = 'none'
    this.#tell()
    if (action === 'none') return
    try {
      await this.#parts.hooks[action]?.()
    } catch (thrown) {
      this.#parts.onFault(null, thrown)
    }
  }

  #tell(): Plan {
    const plan = this.get()
    this.#parts.onChange(plan)
    return plan
  }
}
