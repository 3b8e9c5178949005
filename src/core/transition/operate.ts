/**
 * Operations of the user: the table of docs/task-model.md. A request is committed first; what must stop is
 * stopped; the rest follows when its end has been observed. When nothing runs it follows at once.
 */
import { isComplete, relevantSteps, taskState } from '../../shared/task/derive.ts'
import type { Request, Step, Task } from '../../shared/task/model.ts'
import { SluiceError } from '../../shared/errors.ts'
import { carryOut, hasWorked } from './carry-out.ts'
import type { EditRequest } from './edit.ts'
import { releaseHeld } from './held.ts'
import { conflictWithRequest, conflictWithState, refused } from './refuse.ts'
import { meet, stopsFor } from './request.ts'
import { runningOutside } from './select.ts'
import { settle } from './settle.ts'
import { pushState, resetStep, runsToItsEnd, stepsIn, withSteps } from './steps.ts'
import type { Decision, TransitionContext } from './transition.ts'

/** Requests that touch files: they wait until no process of the task is left. */
function touchesFiles(request: Request): boolean {
  switch (request.kind) {
    case 'delete':
    case 'cancel':
    case 'redownload':
    case 'edit':
      return true
    case 'select':
    case 'pause':
    case 'requeue':
    case 'exit':
      return false
  }
}

/** Whether something has to stop before the request can be carried out. */
function mustWait(task: Task, request: Request): boolean {
  // What is on the disk is let go of first, under a request that is durable.
  if ((request.kind === 'redownload' || request.kind === 'edit') && hasWorked(task)) return true
  if (task.attempt === null) return false
  if (touchesFiles(request)) return true
  if (request.kind === 'select' && !request.thenPause) {
    return runningOutside(task, request.selected).length > 0
  }
  return stepsIn(task, 'RUNNING').length > 0
}

/** Commits a request on a task and says what it stops, or carries it out when nothing has to stop. */
export function ask(task: Task, asked: Request, ctx: TransitionContext): Decision {
  const meeting = meet(task.request, asked)
  switch (meeting.kind) {
    case 'contained':
      return { kind: 'unchanged' }
    case 'conflict':
      return conflictWithRequest(task.request?.kind ?? asked.kind)
    case 'set': {
      const requested = { ...task, request: meeting.request }
      const transition = mustWait(requested, meeting.request)
        ? settle(requested, {}, ctx, stopsFor(requested, meeting.request))
        : carryOut(requested, meeting.request, ctx)
      return { kind: 'accepted', transition }
    }
  }
}

export function pause(task: Task, ctx: TransitionContext): Decision {
  const state = taskState(task)
  if (state === 'PAUSED' && task.request === null && task.pause?.kind === 'user') return { kind: 'unchanged' }
  if (state === 'COMPLETED' || state === 'FAILED' || state === 'CANCELLED') {
    return conflictWithState('paused', state)
  }
  return ask(task, { kind: 'pause', at: ctx.now }, ctx)
}

/** Steps whose result is gone although a step of the same file that is not complete needs it. */
function withLostResults(task: Task, lost: ReadonlySet<string>): Task {
  if (lost.size === 0) return task
  const without = withSteps(task, (step) => (lost.has(step.id) ? resetStep(step) : step))
  return { ...without, setBack: 'lost' }
}

/** `lost`: completed steps whose track is missing or not as we wrote it. */
export function restart(task: Task, lost: ReadonlySet<string>, ctx: TransitionContext): Decision {
  const state = taskState(task)
  const { request } = task
  if (request !== null) {
    switch (request.kind) {
      case 'pause':
        return {
          kind: 'accepted',
          transition: settle(
            { ...task, request: { kind: 'requeue', at: ctx.now, rank: ctx.headRank() } },
            {},
            ctx,
          ),
        }
      case 'edit':
      case 'select':
        if (!request.thenPause) return { kind: 'unchanged' }
        return {
          kind: 'accepted',
          transition: settle({ ...task, request: { ...request, thenPause: false } }, {}, ctx),
        }
      case 'requeue':
      case 'exit':
      case 'redownload':
        return { kind: 'unchanged' }
      case 'cancel':
      case 'delete':
        return conflictWithRequest(request.kind)
    }
  }
  switch (state) {
    case 'WAITING':
    case 'RUNNING':
      return { kind: 'unchanged' }
    case 'PAUSED':
    case 'FAILED': {
      const released = releaseHeld(withLostResults(task, lost), 'all')
      const reset = withSteps(released, (step) => (step.state === 'FAILED' ? resetStep(step) : step))
      return {
        kind: 'accepted',
        transition: settle(pushState(reset, 'WAITING'), { rank: ctx.tailRank() }, ctx),
      }
    }
    case 'COMPLETED':
      return retrySkipped(task, ctx)
    case 'CANCELLED':
      return conflictWithState('restarted', state)
  }
}

/** A new life for the skipped steps of a complete task, and for what makes their file again. */
export function retrySkipped(task: Task, ctx: TransitionContext): Decision {
  const state = taskState(task)
  if (state !== 'COMPLETED') return conflictWithState('completed by its skipped parts', state)
  const skipped = relevantSteps(task).filter((step) => step.state === 'SKIPPED')
  if (skipped.length === 0) return conflictWithState('restarted', state)
  const again = new Set(skipped.map((step) => step.id))
  const files = new Set(skipped.map((step) => step.fileId))
  const made = new Map(
    task.steps.flatMap((step) => (runsToItsEnd(step.kind) ? [[step.fileId, step.output] as const] : [])),
  )
  const after = withSteps(task, (step): Step => {
    if (again.has(step.id)) return resetStep(step)
    if (!files.has(step.fileId)) return step
    // The output stays recorded: it is the file that is replaced when the new one is there.
    if (runsToItsEnd(step.kind)) return { ...resetStep(step), output: step.output }
    // The tracks went when their file was whole: now that file is where they are.
    return { ...step, output: made.get(step.fileId) ?? step.output }
  })
  return { kind: 'accepted', transition: settle(after, { rank: ctx.tailRank() }, ctx) }
}

export function cancel(task: Task, ctx: TransitionContext): Decision {
  const state = taskState(task)
  if (state === 'CANCELLED') return { kind: 'unchanged' }
  if (state === 'COMPLETED' || state === 'FAILED') return conflictWithState('cancelled', state)
  const open = relevantSteps(task).filter((step) => !isComplete(step.state))
  if (open.length > 0 && open.every((step) => step.publishing !== null)) {
    return refused(new SluiceError('CONFLICT', 'The task is already finishing', { details: { state } }))
  }
  return ask(task, { kind: 'cancel', at: ctx.now }, ctx)
}

export function redownload(task: Task, ctx: TransitionContext): Decision {
  return ask(task, { kind: 'redownload', at: ctx.now }, ctx)
}

/** Why the task cannot be edited, null when it can. Of a complete one only the content can change. */
export function editRefusal(task: Task, changesLink: boolean): Decision | null {
  const state = taskState(task)
  if (state === 'CANCELLED') return conflictWithState('edited', state)
  return state === 'COMPLETED' && !changesLink ? conflictWithState('edited except for its link', state) : null
}

/** The link, when it changed, has been looked up: its plan is part of the request. */
export function edit(task: Task, request: EditRequest, ctx: TransitionContext): Decision {
  return editRefusal(task, request.plan !== null) ?? ask(task, request, ctx)
}

/** `purgeAt`: when the files go; until then it can be undone. */
export function remove(
  task: Task,
  asked: { deleteFiles: boolean; purgeAt: number },
  ctx: TransitionContext,
): Decision {
  return ask(task, { kind: 'delete', at: ctx.now, ...asked }, ctx)
}

/** A live task comes back paused; a terminal one as it was. */
export function undoRemove(task: Task, ctx: TransitionContext): Decision {
  if (task.request?.kind !== 'delete') return { kind: 'unchanged' }
  const running = stepsIn(task, 'RUNNING').length > 0
  const request: Request | null = running ? { kind: 'pause', at: ctx.now } : null
  return { kind: 'accepted', transition: settle({ ...task, request }, {}, ctx) }
}

export function select(task: Task, selected: readonly string[], ctx: TransitionContext): Decision {
  const state = taskState(task)
  if (state === 'CANCELLED') return conflictWithState('changed', state)
  if (task.files.length === 0) {
    return refused(new SluiceError('CONFLICT', 'The files of this task are not known yet'))
  }
  const known = new Set(task.files.map((file) => file.id))
  if (selected.some((id) => !known.has(id))) {
    return refused(new SluiceError('INVALID_INPUT', 'The selection names a file that the task does not have'))
  }
  if (selected.length === 0) {
    return refused(
      new SluiceError('UNSUPPORTED', 'At least one file must stay selected', {
        hint: 'Cancel or remove the task to download none of it.',
      }),
    )
  }
  const wanted = [...new Set(selected)]
  const current = task.files.filter((file) => file.selected).map((file) => file.id)
  const same = wanted.length === current.length && wanted.every((id) => current.includes(id))
  if (same && task.request === null) return { kind: 'unchanged' }
  return ask(task, { kind: 'select', at: ctx.now, selected: wanted, thenPause: false }, ctx)
}

/** One waiting task over the limit. */
export function startNow(task: Task, ctx: TransitionContext): Decision {
  const state = taskState(task)
  if (state === 'RUNNING') return { kind: 'unchanged' }
  if (state !== 'WAITING' || task.request !== null) return conflictWithState('started now', state)
  if (task.overLimit) return { kind: 'unchanged' }
  return { kind: 'accepted', transition: settle({ ...task, overLimit: true }, {}, ctx) }
}
