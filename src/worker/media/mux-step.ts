/**
 * The step that joins tracks into one file: mux into the working folder, verify, sync, publish, and only then
 * let the tracks go. Never preemptible: a request that can wait lets it end.
 */
import { dirname } from 'node:path'
import { open, rm } from 'node:fs/promises'
import type { ErrorCode } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { StepOutcome } from '../../shared/worker-protocol.ts'
import type { StepContext, StepExecutor } from '../step-executor.ts'
import { publishFile, syncFolder } from '../files/publish.ts'
import { inWorkingFolder } from '../files/working-folder.ts'
import { storageTrouble, Trouble } from '../transfer/trouble.ts'
import { chooseContainer } from './container.ts'
import { embeddedMuxer } from './embedded-muxer.ts'
import { ffmpegMuxer } from './ffmpeg-muxer.ts'
import type { MuxOrder } from './mux-order.ts'
import type { MuxJob, Muxer } from './muxer.ts'
import { isErrno, Stopped } from './mux-ends.ts'
import { openTracks } from './open-tracks.ts'
import { SyncAhead } from './sync-ahead.ts'
import { verifyMuxed } from './verify.ts'

/** How often a sync says that it still goes on: a slow drive may take minutes, which is no stall. */
const flushingReportMs = 1_000

/** Wrong in a way that a person should look at; everything that arrived is kept. */
const reviewCodes = new Set(['DURATION_MISMATCH', 'TOO_SHORT'])

function report(context: StepContext, activity: 'muxing' | 'verifying' | 'flushing', fraction: number): void {
  context.reportProgress({ doneBytes: 0, size: null, fraction, bytesPerSecond: 0, activity })
}

/** FFmpeg first when it is there; what one muxer cannot do, the other is asked once. */
function muxersFor(order: MuxOrder): Muxer[] {
  return order.ffmpegPath === null ? [embeddedMuxer] : [ffmpegMuxer(order.ffmpegPath), embeddedMuxer]
}

async function muxSyncing(muxer: Muxer, job: MuxJob): Promise<void> {
  const ahead = new SyncAhead(job.to)
  try {
    await muxer(job)
  } finally {
    await ahead.stop()
  }
}

async function muxWithEither(
  muxers: readonly Muxer[],
  job: MuxJob,
  accepted: ReadonlySet<ErrorCode>,
): Promise<void> {
  const onProgress = () => report(job.context, 'verifying', 1)
  for (const [index, muxer] of muxers.entries()) {
    await rm(job.to, { force: true })
    try {
      await muxSyncing(muxer, job)
      onProgress()
      await verifyMuxed(job.to, { ...job, onProgress, accepted })
      return
    } catch (error) {
      const other = index + 1 < muxers.length
      if (!other || !(error instanceof SluiceError) || error.code !== 'MUX_ERROR') throw error
    }
  }
}

async function sync(path: string, context: StepContext): Promise<void> {
  report(context, 'flushing', 1)
  const timer = setInterval(() => report(context, 'flushing', 1), flushingReportMs)
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    clearInterval(timer)
    await handle.close()
  }
}

/** Muxes, verifies and syncs; what is not whole is not left behind. */
async function makeFile(order: MuxOrder, to: string, context: StepContext): Promise<void> {
  const accepted = new Set(order.accepted)
  const { tracks, close } = await openTracks(order.tracks, accepted)
  try {
    const container = chooseContainer(
      order.container,
      tracks.map((track) => track.codec),
    )
    // packets come in the order in which they are decoded, so their timestamps step back now and then
    let furthest = 0
    const onProgress = (fraction: number) => {
      furthest = Math.max(furthest, fraction)
      report(context, 'muxing', furthest)
    }
    await muxWithEither(muxersFor(order), { tracks, container, to, context, onProgress }, accepted)
    await sync(to, context)
  } catch (error) {
    await rm(to, { force: true })
    throw error
  } finally {
    close()
  }
}

/** How trouble ends the step; throws what is a fault of ours. */
function outcomeOf(thrown: unknown, order: MuxOrder): StepOutcome {
  if (thrown instanceof Stopped) return { kind: 'paused', checkpoint: null, cause: null }
  if (thrown instanceof SluiceError) {
    const error = thrown.toRecord()
    return reviewCodes.has(thrown.code)
      ? { kind: 'paused', checkpoint: null, cause: { kind: 'review', error } }
      : { kind: 'failed', error }
  }
  // neither news of the world nor of the disk: a fault in our code
  if (!(thrown instanceof Trouble) && !isErrno(thrown)) throw thrown
  const { advice, error } = storageTrouble(thrown, order.workingFolder)
  return {
    kind: 'paused',
    checkpoint: null,
    cause: { kind: 'storage', error: error.toRecord(), resumesByItself: advice === 'storage' },
  }
}

/** Makes the executor of mux steps. */
export function createMuxStep(): StepExecutor<'mux'> {
  return async (order, _checkpoint, context) => {
    const to = inWorkingFolder(order.workingFolder, order.fileName)
    context.reportFacts({ preemptible: false, resource: null, suggestedName: null })
    report(context, 'muxing', 0)
    try {
      await makeFile(order, to, context)
      const published = await publishFile(to, context)
      if (published.kind === 'refused') return { kind: 'paused', checkpoint: null, cause: null }
      // the tracks are needed until the name survives a power cut
      await syncFolder(dirname(published.result.output.path))
      // the file is there and has its name; a track that cannot be deleted now goes with the working folder
      await Promise.allSettled(order.tracks.map((track) => rm(track.path, { force: true })))
      return { kind: 'completed', result: published.result }
    } catch (thrown) {
      return outcomeOf(thrown, order)
    }
  }
}
