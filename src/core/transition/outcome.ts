/**
 * The events of steps: how one ended, and what the attempt does next. The states of the step that ended and of
 * those that follow it change together, so the derived state has no gap.
 */
import { relevantSteps } from '../../shared/task/derive.ts'
import type { Pause, Step, Task } from '../../shared/task/model.ts'
import type { StepOutcome } from '../../shared/worker-protocol.ts'
import type { StepEnd } from './step-end.ts'
import { withFreshLinkAsked, withOldPlan } from './ask-again.ts'
import { carryOut } from './carry-out.ts'
import { nextSteps, stopsAll } from './next-steps.ts'
import { networkPause, storagePause } from './pause-policy.ts'
import { withEntryPlan, withPlan } from './plan.ts'
import { runningOutside } from './select.ts'
import { settle } from './settle.ts'
import { durableBytes, isHeld, runsToItsEnd, stepsIn, withStep, withSteps } from './steps.ts'
import type { Effect, Transition, TransitionContext } from './transition.ts'

type PausedOutcome = Extract<StepOutcome, { kind: 'paused' }>

function pauseOf(task: Task, cause: NonNullable<PausedOutcome['cause']>, ctx: TransitionContext): Pause {
  switch (cause.kind) {
    case 'network':
      return networkPause(task, cause, ctx.now)
    case 'storage':
      return storagePause(task, cause, ctx.now)
    case 'source':
      return { kind: 'source', at: ctx.now, error: cause.error }
    case 'review':
      return { kind: 'review', at: ctx.now, error: cause.error }
  }
}

function withFailure(task: Task, stepId: string, error: NonNullable<Step['error']>): Task {
  return withStep(task, stepId, (step) =>
    step.optional
      ? { ...step, state: 'SKIPPED', checkpoint: null, publishing: null, error }
      : {
          ...step,
          state: 'WAITING',
          checkpoint: null,
          publishing: null,
          doneBytes: 0,
          fraction: 0,
          error,
        },
  )
}

function withStall(task: Task, step: Step, error: NonNullable<Step['error']>, ctx: TransitionContext): Task {
  if (runsToItsEnd(step.kind)) return withFailure(task, step.id, error)
  const failures = step.failures + 1
  const cause = { error, retryAfterMs: null, failures }
  const heldPause = failures > ctx.retryBudget ? networkPause(task, cause, ctx.now) : null
  const counted = heldPause === null ? task : { ...task, networkPauses: task.networkPauses + 1 }
  return withStep(counted, step.id, (held) => ({ ...held, state: 'WAITING', failures, heldPause }))
}

function withPause(task: Task, step: Step, outcome: PausedOutcome, ctx: TransitionContext): Task {
  const checkpoint = outcome.checkpoint ?? step.checkpoint
  const kept = withStep(task, step.id, (held) => ({
    ...held,
    state: 'WAITING',
    publishing: null,
    checkpoint,
    doneBytes: runsToItsEnd(held.kind) ? 0 : durableBytes(checkpoint),
    fraction: runsToItsEnd(held.kind) ? 0 : held.fraction,
  }))
  const { cause } = outcome
  if (cause === null) return kept
  const heldPause = pauseOf(task, cause, ctx)
  const failures = cause.kind === 'network' ? cause.failures : step.failures
  const counted: Task = {
    ...kept,
    networkPauses:
      cause.kind === 'network' && cause.retryAfterMs === null ? task.networkPauses + 1 : task.networkPauses,
    storagePausedSince: heldPause.kind === 'storage' ? heldPause.firstAt : task.storagePausedSince,
  }
  return withStep(counted, step.id, (held) => ({ ...held, heldPause, failures }))
}

function withEnd(task: Task, step: Step, end: StepEnd, ctx: TransitionContext): Task {
  switch (end.kind) {
    case 'completed': {
      const { result } = end
      const done: Step = {
        ...step,
        state: 'COMPLETED',
        fraction: 1,
        checkpoint: null,
        publishing: null,
        error: null,
        failures: 0,
      }
      if (result.kind === 'plan') {
        const planned =
          step.fileId === null
            ? withPlan(task, result.plan, ctx)
            : withEntryPlan(task, step, result.plan, ctx)
        return withOldPlan(task, step, planned) ?? withStep(planned, step.id, () => done)
      }
      const { output } = result
      return withStep(task, step.id, () => ({ ...done, output, doneBytes: output.size, size: output.size }))
    }
    case 'skipped':
    case 'failed':
      return (
        withFreshLinkAsked(task, step, end) ??
        (step.kind === 'resolve' ? withOldPlan(task, step, null) : null) ??
        withFailure(task, step.id, end.error)
      )
    case 'stalled':
      return withStall(task, step, end.error, ctx)
    case 'paused':
      return withFreshLinkAsked(task, step, end) ?? withPause(task, step, end, ctx)
  }
}

/** Requests that end the attempt: nothing new starts under them. A selection lets the attempt go on. */
function isEnding(task: Task): boolean {
  return task.request !== null && task.request.kind !== 'select'
}

/** Siblings of a held step are stopped, at a checkpoint, before its failure or pause is committed. */
function siblingsToStop(task: Task): string[] {
  const running = stepsIn(task, 'RUNNING').filter((step) => step.publishing === null)
  if (stopsAll(task)) return running.map((step) => step.id)
  const heldFiles = new Set(task.steps.filter(isHeld).map((step) => step.fileId))
  return running.filter((step) => heldFiles.has(step.fileId)).map((step) => step.id)
}

function goOn(task: Task, ctx: TransitionContext): Transition {
  const stopping = siblingsToStop(task)
  const effects: Effect[] =
    stopping.length === 0 ? [] : [{ kind: 'stop-steps', stepIds: stopping, how: 'checkpoint' }]
  const starting = nextSteps(task, ctx.tracksAtOnce).map((step) => step.id)
  if (starting.length > 0) {
    effects.push({ kind: 'start-steps', stepIds: starting })
    const started = withSteps(task, (step) =>
      starting.includes(step.id) ? { ...step, state: 'RUNNING' } : step,
    )
    return settle(started, {}, ctx, effects)
  }
  if (stepsIn(task, 'RUNNING').length > 0) return settle(task, {}, ctx, effects)
  return settle(task, {}, ctx, [...effects, { kind: 'end-attempt' }])
}

/** Failures are held, no pause is, and nothing else could run. */
function isHopeless(task: Task): boolean {
  const held = relevantSteps(task).filter(isHeld)
  return (
    held.some((step) => step.error !== null) &&
    held.every((step) => step.heldPause === null) &&
    nextSteps(task, 1).length === 0
  )
}

/** The last step of an attempt that was asked to end has ended. */
function endAsAsked(before: Task, after: Task, ctx: TransitionContext): Transition {
  const { request } = after
  if (request === null) return goOn(after, ctx)
  if (request.kind === 'pause' || request.kind === 'requeue' || request.kind === 'exit') {
    // A permanent failure with nothing else to do is the truth, whatever was asked for meanwhile.
    if (isHopeless(after)) return goOn({ ...after, request: null }, ctx)
    const transition = carryOut(after, request, ctx)
    return { ...transition, effects: [...transition.effects, { kind: 'end-attempt' }] }
  }
  // What touches files waits for the process itself: until its end was observed the steps count as running.
  const lingering = new Set(stepsIn(before, 'RUNNING').map((step) => step.id))
  const held = withSteps(after, (step) =>
    lingering.has(step.id) && step.state === 'WAITING' ? { ...step, state: 'RUNNING' } : step,
  )
  return settle(held, {}, ctx, [{ kind: 'end-attempt' }])
}

/** One step of the live attempt ended. The caller has checked token and sequence. */
export function stepEnded(task: Task, stepId: string, end: StepEnd, ctx: TransitionContext): Transition {
  const step = task.steps.find((candidate) => candidate.id === stepId)
  if (step?.state !== 'RUNNING') return settle(task, {}, ctx)
  const after = withEnd(task, step, end, ctx)
  if (isEnding(after)) {
    if (stepsIn(after, 'RUNNING').length > 0) return settle(after, {}, ctx)
    return endAsAsked(task, after, ctx)
  }
  const { request } = after
  if (request?.kind !== 'select' || runningOutside(after, request.selected).length > 0)
    return goOn(after, ctx)
  const selected = carryOut(after, request, ctx)
  const onward = isEnding(selected.task) ? selected : goOn(selected.task, ctx)
  return onward === selected ? selected : { ...onward, effects: [...selected.effects, ...onward.effects] }
}
