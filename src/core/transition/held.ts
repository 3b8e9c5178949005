/**
 * What an attempt leaves when no step of it can run any more: held pauses make the task PAUSED, else held
 * failures are committed as FAILED in one transaction, else everything is complete.
 */
import { isComplete, relevantSteps } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import { strongestPause } from './pause-policy.ts'
import { settle } from './settle.ts'
import { isHeld, pushState, withSteps } from './steps.ts'
import type { Effect, Transition, TransitionContext } from './transition.ts'

export function settleHeld(task: Task, ctx: TransitionContext, effects: readonly Effect[]): Transition {
  const held = relevantSteps(task).filter(isHeld)
  const pauses = held.flatMap((step) => (step.heldPause === null ? [] : [step.heldPause]))
  const pause = strongestPause(pauses)
  if (pause !== undefined) return settle(pushState(task, 'PAUSED'), { pause }, ctx, effects)
  const failed = new Set(held.map((step) => step.id))
  const after = withSteps(task, (step) => (failed.has(step.id) ? { ...step, state: 'FAILED' } : step))
  return settle(after, {}, ctx, effects)
}

/** Lets go of what was held, so that every incomplete step may be taken again. `network`: only what heals by time. */
export function releaseHeld(task: Task, which: 'all' | 'network'): Task {
  return withSteps(task, (step) => {
    if (isComplete(step.state)) return step
    const letGo = which === 'all' || step.heldPause?.kind === 'network' || step.heldPause?.kind === 'storage'
    if (!letGo) return step
    const error = step.state === 'WAITING' || step.state === 'PAUSED' ? null : step.error
    // What the host asked to wait for still counts; a used-up budget begins anew after its pause.
    const counts =
      which === 'network' && step.heldPause?.kind === 'network' && step.heldPause.resumeTo === 'head'
    return { ...step, heldPause: null, error, failures: counts ? step.failures : 0 }
  })
}
