/** The port of the two muxers: local tracks in, one local file out, packets copied and nothing encoded. */
import type { StepOrder } from '../../shared/worker-protocol.ts'
import type { StepContext } from '../step-executor.ts'
import type { OpenTrack } from './open-tracks.ts'

export type MuxOrder = Extract<StepOrder, { kind: 'mux' }>
export type Container = 'mp4' | 'webm' | 'mkv'

export interface MuxJob {
  tracks: readonly OpenTrack[]
  container: Container
  /** absolute path of the file to write; must not exist */
  to: string
  context: StepContext
  /** share of the packets that are written, 0–1 */
  onProgress: (fraction: number) => void
}

/** Rejects with a `SluiceError` (`MUX_ERROR`, `STALLED`), with `Stopped`, or with an errno of the disk. */
export type Muxer = (job: MuxJob) => Promise<void>

/** Thrown when the step was asked to stop. */
export class Stopped extends Error {}

/** Whether the operating system refused something: a fact of the disk, not of the media. */
export function isErrno(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'errno' in thrown
}
