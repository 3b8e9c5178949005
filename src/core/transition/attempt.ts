/** The two ends of an attempt: how it begins, and what its observed end means for the task. */
import { taskState } from '../../shared/task/derive.ts'
import type { Attempt, Output, Step, Task } from '../../shared/task/model.ts'
import type { ErrorRecord } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import { carryOut } from './carry-out.ts'
import { nextSteps } from './next-steps.ts'
import { networkPause } from './pause-policy.ts'
import { hasEnded, settle } from './settle.ts'
import { pushState, runsToItsEnd, withSteps } from './steps.ts'
import type { Transition, TransitionContext } from './transition.ts'

/** A dispatch: the attempt owns the task from here on. */
export function beginAttempt(task: Task, attempt: Attempt, ctx: TransitionContext): Transition {
  const starting = nextSteps(task, ctx.tracksAtOnce).map((step) => step.id)
  const owned: Task = {
    ...withSteps(task, (step) => (starting.includes(step.id) ? { ...step, state: 'RUNNING' } : step)),
    attempt,
    job: { ...task.job, startedAt: task.job.startedAt ?? ctx.now },
  }
  return settle(owned, {}, ctx, [{ kind: 'start-steps', stepIds: starting }])
}

export type AttemptEnd = NonNullable<Attempt['end']>['reason']

export interface EndFacts {
  readonly reason: AttemptEnd
  /** of each step in `publishing`: the file under its final name when it is ours, else null */
  readonly published: ReadonlyMap<string, Output | null>
  /** of each step in `publishing`: whether the verified file still waits under its working name */
  readonly stillHeld: ReadonlySet<string>
}

const crashLimit = 3

function workerCrashed(): ErrorRecord {
  return new SluiceError(
    'WORKER_CRASHED',
    'The download process ended unexpectedly three times in a row',
  ).toRecord()
}

/** A step whose leave to publish was committed is settled by what is on the disk, not by what was reported. */
function settlePublishing(task: Task, facts: EndFacts): Task {
  return withSteps(task, (step) => {
    if (step.publishing === null) return step
    const output = facts.published.get(step.id) ?? null
    if (output !== null && step.state === 'RUNNING') {
      return {
        ...step,
        state: 'COMPLETED',
        publishing: null,
        checkpoint: null,
        output,
        doneBytes: output.size,
        size: output.size,
        fraction: 1,
        error: null,
      }
    }
    const kept = facts.stillHeld.has(step.id)
    return { ...step, publishing: null, ...(kept ? {} : { checkpoint: null, doneBytes: 0, fraction: 0 }) }
  })
}

function stalled(step: Step, task: Task, ctx: TransitionContext): Step {
  const error = new SluiceError('STALLED', 'Nothing arrived for too long').toRecord()
  if (runsToItsEnd(step.kind)) return { ...step, state: 'WAITING', error, checkpoint: null, doneBytes: 0 }
  const failures = step.failures + 1
  const spent = failures > ctx.retryBudget
  return {
    ...step,
    state: 'WAITING',
    failures,
    heldPause: spent ? networkPause(task, { error, retryAfterMs: null, failures }, ctx.now) : null,
  }
}

/** Steps that still ran when the attempt was lost, by why it was. */
function withLostSteps(task: Task, facts: EndFacts, ctx: TransitionContext): Task {
  const crashed = facts.reason === 'crashed' || facts.reason === 'silent'
  const crashes = crashed ? task.crashes + 1 : task.crashes
  const uncleanEnds = facts.reason === 'lost' ? task.uncleanEnds + 1 : 0
  const steps = task.steps.map((step): Step => {
    if (step.state !== 'RUNNING') return step
    if (facts.reason === 'stalled') return stalled(step, task, ctx)
    // A tool that runs to its end has no checkpoint: its next run begins anew.
    const waiting: Step = runsToItsEnd(step.kind)
      ? { ...step, state: 'WAITING', doneBytes: 0, fraction: 0 }
      : { ...step, state: 'WAITING' }
    return crashed && crashes >= crashLimit
      ? { ...waiting, checkpoint: null, error: workerCrashed() }
      : waiting
  })
  return { ...task, steps, crashes, uncleanEnds }
}

function pausedAfterCrashes(task: Task, ctx: TransitionContext): Transition {
  const error = new SluiceError(
    'WORKER_CRASHED',
    'The app ended unexpectedly three times in a row while this task was running',
    { hint: 'Resume it when you are ready; if the app ends again, report it with the log.' },
  ).toRecord()
  const pause = { kind: 'crash', at: ctx.now, error } as const
  return settle({ ...pushState(task, 'PAUSED'), uncleanEnds: 0 }, { pause }, ctx)
}

/**
 * The end of the attempt has been observed: no process of it is left. What it was asked for is carried out in
 * the same transaction; without a request the task goes on at the head of the queue.
 */
export function endAttempt(task: Task, facts: EndFacts, ctx: TransitionContext): Transition {
  const attempt = task.attempt
  const ended = attempt === null ? null : { ...attempt, end: { at: ctx.now, reason: facts.reason } }
  const stopped = facts.reason === 'stopped' || task.request !== null
  const lost = withLostSteps(
    settlePublishing(task, facts),
    // A worker that was killed for a request did not crash, whatever its exit code says.
    stopped && facts.reason !== 'lost' ? { ...facts, reason: 'stopped' } : facts,
    ctx,
  )
  const free: Task = { ...lost, attempt: null, overLimit: false }
  const transition = afterEnd(free, facts, ctx)
  return { ...transition, endedAttempt: ended }
}

function afterEnd(task: Task, facts: EndFacts, ctx: TransitionContext): Transition {
  if (task.request !== null) return carryOut(task, task.request, ctx)
  if (hasEnded(task) || taskState(task) === 'PAUSED') return settle(task, {}, ctx)
  if (facts.reason === 'lost' && task.uncleanEnds >= crashLimit) return pausedAfterCrashes(task, ctx)
  const rank = task.rank ?? ctx.headRank()
  return settle(task, { rank }, ctx)
}

/** Records that a process group was started by the attempt. */
export function withChild(task: Task, child: { pid: number; startTime: string }): Task {
  if (task.attempt === null) return task
  return { ...task, attempt: { ...task.attempt, children: [...task.attempt.children, child] } }
}
