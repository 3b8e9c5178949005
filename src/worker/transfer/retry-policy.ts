/** When to try again, as pure rules: facts and chance come in, numbers go out. */

/** Waits above this leave the slot: the step pauses and comes back. */
export const longestWaitInSlotMs = 15_000
export const firstDelayMs = 500
export const longestDelayMs = 30_000

/** Back-off before try number `failures` + 1: 0.5 s doubling to 30 s, the upper half of it by chance [0, 1). */
export function backOffMs(failures: number, chance: number): number {
  const full = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, failures - 1))
  return Math.round(full / 2 + (full / 2) * chance)
}

export type RetryDecision =
  | { kind: 'wait'; ms: number }
  /** the step gives its slot back; null: the budget is used up */
  | { kind: 'leave'; retryAfterMs: number | null }

/**
 * What to do after `failures` failures in a row without new durable bytes (this one included). What the host
 * asked for is obeyed, and never cut short by the back-off.
 */
export function decideRetry(facts: {
  failures: number
  budget: number
  retryAfterMs: number | null
  chance: number
}): RetryDecision {
  const { failures, budget, retryAfterMs, chance } = facts
  const asked = retryAfterMs ?? 0
  if (asked > longestWaitInSlotMs) return { kind: 'leave', retryAfterMs: asked }
  if (failures > budget) return { kind: 'leave', retryAfterMs: null }
  const ms = Math.max(backOffMs(failures, chance), asked)
  return ms > longestWaitInSlotMs ? { kind: 'leave', retryAfterMs: ms } : { kind: 'wait', ms }
}
