import type { StepOrder } from '../../shared/worker-protocol.ts'

/** The order of a download step. */
export type FetchOrder = Extract<StepOrder, { kind: 'fetch' }>
