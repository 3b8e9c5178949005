/** The port of the two muxers: local tracks in, one local file out, packets copied and nothing encoded. */
import type { StepContext } from '../step-executor.ts'
import type { Container } from './mux-order.ts'
import type { OpenTrack } from './open-tracks.ts'

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
