/** Refusals of operations: `CONFLICT` with words for the state that does not allow it. */
import { SluiceError } from '../../shared/errors.ts'
import type { TaskState } from '../../shared/task/model.ts'
import type { Decision } from './transition.ts'

const words: Record<TaskState, string> = {
  WAITING: 'waiting',
  RUNNING: 'running',
  PAUSED: 'paused',
  COMPLETED: 'complete',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
}

export function refused(error: SluiceError): Decision {
  return { kind: 'refused', error }
}

export function conflictWithState(operation: string, state: TaskState): Decision {
  return refused(
    new SluiceError('CONFLICT', `A task that is ${words[state]} cannot be ${operation}`, {
      details: { state },
    }),
  )
}

export function conflictWithRequest(pending: string): Decision {
  return refused(
    new SluiceError('CONFLICT', `The task is busy: ${pending} was asked for and is not done yet`, {
      hint: 'Wait until it is done, then try again.',
      details: { pending },
    }),
  )
}
