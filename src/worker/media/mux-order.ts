import type { StepOrder } from '../../shared/worker-protocol.ts'

/** The order of a mux step. */
export type MuxOrder = Extract<StepOrder, { kind: 'mux' }>

export type Container = 'mp4' | 'webm' | 'mkv'
