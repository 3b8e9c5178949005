/**
 * What an attempt leaves when no step of it can run any more: held pauses make the task PAUSED, else held
 * failures are committed as FAILED in one transaction, else everything is complete.
 */
import { isComplete, relevantSteps } from '../../shared/task/derive.ts'
import type { Pause, Step, Task } from '../../shared/task/model.ts'
import { strongestPause } from './pause-policy.ts'
import { isHeld, pushState, withSteps } from './steps.ts'

/** What is held becomes the state of the task; nothing of it may be able to run. */
export function withHeldCommitted(task: Task): { task: Task; pause: Pause | null } {
  const held = relevantSteps(task).filter(isHeld)
  const pause = strongestPause(held.flatMap((step) => (step.heldPause === null ? [] : [step.heldPause])))
  if (pause !== undefined) return { task: pushState(task, 'PAUSED'), pause }
  const failed = new Set(held.map((step) => step.id))
  const after = withSteps(task, (step): Step => (failed.has(step.id) ? { ...step, state: 'FAILED' } : step))
  return { task: after, pause: null }
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
    const askedAgain = which === 'all' ? false : step.askedAgain
    return { ...step, heldPause: null, error, askedAgain, failures: counts ? step.failures : 0 }
  })
}
