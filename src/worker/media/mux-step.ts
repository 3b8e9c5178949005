/**
 * The step that joins tracks into one file: mux into the working folder, verify, sync, publish, and only then
 * let the tracks go. Never preemptible: a request that can wait lets it end.
 */
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SluiceError } from '../../shared/errors.ts'
import type { StepOutcome } from '../../shared/worker-protocol.ts'
import type { StepContext, StepExecutor } from '../step-executor.ts'
import { publishFile } from '../files/publish.ts'
import { storageTrouble, Trouble } from '../transfer/trouble.ts'
import { embeddedMuxer } from './embedded-muxer.ts'
import { ffmpegMuxer } from './ffmpeg-muxer.ts'
import type { MuxJob, MuxOrder, Muxer } from './muxer.ts'
import { Stopped } from './muxer.ts'
import { containerOf, openTracks } from './open-tracks.ts'
import { verifyMuxed } from './verify.ts'

function report(context: StepContext, activity: 'muxing' | 'verifying' | 'flushing', fraction: number): void {
  context.reportProgress({ doneBytes: 0, size: null, fraction, bytesPerSecond: 0, activity })
}

/** FFmpeg first when it is there; what one muxer cannot do, the other is asked once. */
function muxersFor(order: MuxOrder): Muxer[] {
  return order.ffmpegPath === null ? [embeddedMuxer] : [ffmpegMuxer(order.ffmpegPath), embeddedMuxer]
}

async function muxWithEither(muxers: readonly Muxer[], job: MuxJob): Promise<void> {
  for (const [index, muxer] of muxers.entries()) {
    await rm(job.to, { force: true })
    try {
      await muxer(job)
      report(job.context, 'verifying', 1)
      await verifyMuxed(job.to, job.tracks)
      return
    } catch (error) {
      const other = index + 1 < muxers.length
      if (!other || !(error instanceof SluiceError) || error.code !== 'MUX_ERROR') throw error
    }
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function makeFile(order: MuxOrder, context: StepContext): Promise<string> {
  const to = join(order.workingFolder, order.fileName)
  const { tracks, close } = await openTracks(order.tracks)
  try {
    const container = order.container ?? containerOf(tracks.map((open) => open.codec))
    // packets come in the order in which they are decoded, so their timestamps step back now and then
    let furthest = 0
    const onProgress = (fraction: number) => {
      furthest = Math.max(furthest, fraction)
      report(context, 'muxing', furthest)
    }
    await muxWithEither(muxersFor(order), { tracks, container, to, context, onProgress })
  } finally {
    close()
  }
  report(context, 'flushing', 1)
  await sync(to)
  return to
}

function outcomeOf(thrown: unknown, order: MuxOrder): StepOutcome {
  if (thrown instanceof Stopped) return { kind: 'paused', checkpoint: null, cause: null }
  if (thrown instanceof SluiceError) {
    const error = thrown.toRecord()
    return thrown.code === 'DURATION_MISMATCH'
      ? { kind: 'paused', checkpoint: null, cause: { kind: 'review', error } }
      : { kind: 'failed', error }
  }
  const trouble = thrown instanceof Trouble ? thrown : storageTrouble(thrown, order.workingFolder)
  return {
    kind: 'paused',
    checkpoint: null,
    cause: { kind: 'storage', error: trouble.error.toRecord(), resumesByItself: true },
  }
}

/** Makes the executor of mux steps. */
export function createMuxStep(): StepExecutor<'mux'> {
  return async (order, _checkpoint, context) => {
    context.reportFacts({ preemptible: false, resource: null, suggestedName: null })
    report(context, 'muxing', 0)
    try {
      const from = await makeFile(order, context)
      const published = await publishFile(from, context)
      if (published.kind === 'refused') return { kind: 'paused', checkpoint: null, cause: null }
      await Promise.all(order.tracks.map((track) => rm(track.path, { force: true })))
      return { kind: 'completed', result: { kind: 'file', output: published.output } }
    } catch (thrown) {
      return outcomeOf(thrown, order)
    }
  }
}
