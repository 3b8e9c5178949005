import type { ErrorRecord } from '../../shared/errors.ts'
import type { StepOutcome } from '../../shared/worker-protocol.ts'

/** What a step reported about its end; `stalled` is what the supervisor makes of a step it had to stop. */
export type StepEnd = StepOutcome | { kind: 'stalled'; error: ErrorRecord }
