/** How trouble ends a step, by the table of failures. Pure: the transfer asks, and carries out the answer. */
import type { Checkpoint } from '../../shared/task/resource.ts'
import type { StepOutcome } from '../../shared/worker-protocol.ts'
import { SluiceError } from '../../shared/errors.ts'
import { decideRetry } from './retry-policy.ts'
import type { Trouble } from './trouble.ts'

export interface Situation {
  /** bytes are held that a later try can use */
  holdsData: boolean
  /** failures in a row without new durable bytes, this one included */
  failures: number
  budget: number
  policy: 'ask' | 'restart'
  /** the file was taken back to its last checkpoint before in this attempt */
  wasDamaged: boolean
  /** times the file was begun again in this attempt since it had changed */
  restarts: number
  /** [0, 1) */
  chance: number
}

export type Next =
  | { kind: 'wait'; ms: number }
  /** take the file back to its last checkpoint and go on */
  | { kind: 'step-back' }
  /** begin again from zero, with the old data set aside */
  | { kind: 'start-over' }
  | { kind: 'end'; outcome: (checkpoint: Checkpoint | null) => StepOutcome }

type Cause = NonNullable<Extract<StepOutcome, { kind: 'paused' }>['cause']>

function pause(cause: Cause): Next {
  return { kind: 'end', outcome: (checkpoint) => ({ kind: 'paused', checkpoint, cause }) }
}

function fail(error: SluiceError): Next {
  return { kind: 'end', outcome: () => ({ kind: 'failed', error: error.toRecord() }) }
}

/** A host that changes its file again and again is not downloaded in circles. */
const mostRestarts = 3

export function decideNext(problem: Trouble, situation: Situation): Next {
  const { holdsData, failures } = situation
  const error = problem.error.toRecord()
  switch (problem.advice) {
    case 'storage':
      return pause({ kind: 'storage', error, resumesByItself: true })
    case 'storage-stuck':
      return pause({ kind: 'storage', error, resumesByItself: false })
    case 'damaged':
      return situation.wasDamaged
        ? pause({ kind: 'storage', error, resumesByItself: false })
        : { kind: 'step-back' }
    case 'changed':
      return situation.policy === 'restart' && situation.restarts < mostRestarts
        ? { kind: 'start-over' }
        : pause({ kind: 'review', error })
    case 'review':
      return pause({ kind: 'review', error })
    case 'source':
      return holdsData ? pause({ kind: 'source', error: expired(problem) }) : fail(problem.error)
    case 'permanent':
      return holdsData ? pause({ kind: 'source', error }) : fail(problem.error)
    case 'no-such-host':
      if (!holdsData && failures >= 2) return fail(problem.error)
      break
    case 'retry':
      break
  }
  const decision = decideRetry({
    failures,
    budget: situation.budget,
    retryAfterMs: problem.retryAfterMs,
    chance: situation.chance,
  })
  if (decision.kind === 'wait') return decision
  return pause({ kind: 'network', error, retryAfterMs: decision.retryAfterMs, failures })
}

function expired(problem: Trouble) {
  return new SluiceError('LINK_EXPIRED', 'The link does not work any more', {
    ...(problem.error.details === undefined ? {} : { details: problem.error.details }),
  }).toRecord()
}
