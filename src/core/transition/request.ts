/** A request meets a request: one per task, the stronger replaces the weaker. */
import type { Request, RequestKind, Step, Task } from '../../shared/task/model.ts'
import { runningOutside } from './select.ts'
import { runsToItsEnd, stepsIn } from './steps.ts'
import type { Effect } from './transition.ts'

const strength: Record<RequestKind, number> = {
  delete: 7,
  cancel: 6,
  redownload: 5,
  edit: 4,
  select: 3,
  pause: 2,
  requeue: 1,
  exit: 0,
}

export type Meeting =
  | { kind: 'set'; request: Request }
  /** the goal of the new one is part of what is pending */
  | { kind: 'contained' }
  | { kind: 'conflict' }

/** Weaker goals that the stronger request reaches as well. */
const contains: Record<RequestKind, readonly RequestKind[]> = {
  delete: ['cancel', 'pause', 'requeue', 'exit'],
  cancel: ['pause', 'requeue', 'exit'],
  redownload: ['requeue', 'exit'],
  edit: ['requeue', 'exit'],
  select: ['requeue', 'exit'],
  pause: ['requeue', 'exit'],
  requeue: ['exit'],
  exit: [],
}

function sameGoal(pending: Request, asked: Request): boolean {
  switch (asked.kind) {
    case 'delete':
      // Files that are to go anyway may also be asked to stay unmentioned, not the other way round.
      return pending.kind === 'delete' && (pending.deleteFiles || !asked.deleteFiles)
    case 'select':
      return (
        pending.kind === 'select' &&
        pending.selected.length === asked.selected.length &&
        pending.selected.every((id) => asked.selected.includes(id))
      )
    case 'edit':
      return (
        pending.kind === 'edit' &&
        pending.deleteFiles === asked.deleteFiles &&
        pending.startAfterEdit === asked.startAfterEdit &&
        JSON.stringify(pending.parameters) === JSON.stringify(asked.parameters)
      )
    case 'pause':
      // A pause of the user is more than one of the schedule: it does not end by itself.
      return pending.kind === 'pause' && (pending.schedule === undefined || asked.schedule !== undefined)
    case 'cancel':
    case 'redownload':
    case 'requeue':
    case 'exit':
      return pending.kind === asked.kind
  }
}

function replaced(pending: Request, asked: Request): Request {
  const pauses =
    (pending.kind === 'pause' && pending.schedule === undefined) ||
    ((pending.kind === 'edit' || pending.kind === 'select') && pending.thenPause)
  if ((asked.kind === 'edit' || asked.kind === 'select') && pauses) return { ...asked, thenPause: true }
  return asked
}

export function meet(pending: Request | null, asked: Request): Meeting {
  if (pending === null) return { kind: 'set', request: asked }
  if (pending.kind === asked.kind) {
    if (sameGoal(pending, asked)) return { kind: 'contained' }
    return asked.kind === 'pause' ? { kind: 'set', request: asked } : { kind: 'conflict' }
  }
  if (strength[asked.kind] > strength[pending.kind]) {
    return { kind: 'set', request: replaced(pending, asked) }
  }
  if (asked.kind === 'pause' && (pending.kind === 'edit' || pending.kind === 'select')) {
    if (pending.thenPause) return { kind: 'contained' }
    return { kind: 'set', request: { ...pending, thenPause: true } }
  }
  return contains[pending.kind].includes(asked.kind) ? { kind: 'contained' } : { kind: 'conflict' }
}

/** Requests after which nothing of the present run may get its final name. */
export function preventsPublishing(request: Request | null): boolean {
  if (request === null) return false
  switch (request.kind) {
    case 'cancel':
    case 'delete':
    case 'edit':
    case 'redownload':
      return true
    case 'select':
    case 'pause':
    case 'requeue':
    case 'exit':
      return false
  }
}

/** Which running steps a request stops, and how. One whose leave to publish is committed is never stopped. */
export function stopsFor(task: Task, request: Request): Effect[] {
  const running = stepsIn(task, 'RUNNING').filter((step) => step.publishing === null)
  const stop = (steps: readonly Step[], how: 'checkpoint' | 'discard'): Effect[] =>
    steps.length === 0 ? [] : [{ kind: 'stop-steps', stepIds: steps.map((step) => step.id), how }]
  switch (request.kind) {
    case 'pause':
    case 'requeue':
      return stop(
        running.filter((step) => !runsToItsEnd(step.kind)),
        'checkpoint',
      )
    case 'exit':
    case 'edit':
      return stop(running, 'checkpoint')
    case 'select':
      return stop(
        request.thenPause
          ? running.filter((step) => !runsToItsEnd(step.kind))
          : runningOutside(task, request.selected).filter((step) => step.publishing === null),
        'checkpoint',
      )
    case 'delete':
      // Until it is purged it may be undone, and what arrived should still be there.
      return stop(running, request.purgeAt > request.at ? 'checkpoint' : 'discard')
    case 'cancel':
    case 'redownload':
      return stop(running, 'discard')
  }
}
