/**
 * The result of a mux is opened again as a stranger would: the streams that were asked for, as long as the
 * tracks were, beside each other as they were, timestamps that rise, a start that can be decoded. Only then does
 * it deserve its name.
 */
import type { InputTrack } from 'mediabunny'
import type { ErrorCode } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import { lockstep } from './lockstep.ts'
import { isErrno, Stopped } from './mux-ends.ts'
import type { MuxJob } from './muxer.ts'
import { durationTolerance, openMedia } from './open-tracks.ts'
import type { OpenTrack } from './open-tracks.ts'

/** Seconds by which sound may move against picture; encoders' priming is a few hundredths. */
const mostDrift = 0.1

/** What was seen of one stream; times in seconds. */
interface Seen {
  start: number
  end: number
  lastKey: number
}

/** The stream that each track became, in order. */
async function streamsOf(
  streams: readonly InputTrack[],
  tracks: readonly OpenTrack[],
): Promise<InputTrack[]> {
  if (streams.length !== tracks.length) {
    throw new SluiceError('MUX_ERROR', 'The result does not hold the streams that were asked for')
  }
  const found: InputTrack[] = []
  for (const [index, from] of tracks.entries()) {
    const place = tracks.slice(0, index).filter((other) => other.kind === from.kind).length
    const stream = streams.filter((candidate) => candidate.type === from.kind)[place]
    if (stream === undefined || (await stream.getCodec()) !== from.codec) {
      throw new SluiceError('MUX_ERROR', `The result does not hold the ${from.kind} that was asked for`)
    }
    found.push(stream)
  }
  return found
}

async function lookThrough(streams: readonly InputTrack[], job: VerifyJob): Promise<(Seen | undefined)[]> {
  const seen: (Seen | undefined)[] = streams.map(() => undefined)
  for await (const { index, packet } of lockstep(streams, { withData: false })) {
    if (job.context.signal.aborted) throw new Stopped()
    const kind = job.tracks[index]?.kind ?? 'track'
    const end = packet.timestamp + packet.duration
    const before = seen[index]
    if (before === undefined) {
      if (packet.type !== 'key') {
        throw new SluiceError('MUX_ERROR', `The ${kind} of the result does not begin with a key frame`)
      }
      seen[index] = { start: packet.timestamp, end, lastKey: packet.timestamp }
      continue
    }
    before.start = Math.min(before.start, packet.timestamp)
    before.end = Math.max(before.end, end)
    // pictures may be shown in another order than they are coded; those that stand alone may not
    if (packet.type !== 'key') continue
    if (packet.timestamp < before.lastKey) {
      throw new SluiceError('MUX_ERROR', `The timestamps of the ${kind} go backwards`)
    }
    before.lastKey = packet.timestamp
    job.onProgress()
  }
  return seen
}

function compare({ tracks, accepted }: VerifyJob, seen: readonly (Seen | undefined)[]): void {
  const origin = { track: tracks[0]?.start ?? 0, stream: seen[0]?.start ?? 0 }
  for (const [index, from] of tracks.entries()) {
    const stream = seen[index]
    if (stream === undefined) throw new SluiceError('MUX_ERROR', `The ${from.kind} of the result is empty`)
    const [length, expected] = [stream.end - stream.start, from.end - from.start]
    const isOff = Math.abs(length - expected) > durationTolerance(expected)
    if (isOff && accepted?.has('DURATION_MISMATCH') !== true) {
      throw new SluiceError(
        'DURATION_MISMATCH',
        `The ${from.kind} of the result is not as long as its track`,
        { details: { seconds: Math.round(length), expectedSeconds: Math.round(expected) } },
      )
    }
    const drift = stream.start - origin.stream - (from.start - origin.track)
    if (Math.abs(drift) > mostDrift) {
      throw new SluiceError('MUX_ERROR', 'Sound and picture of the result have moved against each other', {
        details: { seconds: Number(drift.toFixed(3)) },
      })
    }
  }
}

export interface VerifyJob extends Pick<MuxJob, 'tracks' | 'context'> {
  /** told now and then while it goes on */
  onProgress: () => void
  /** what a person has taken as it is */
  accepted?: ReadonlySet<ErrorCode>
}

/**
 * Rejects with `Stopped`, an errno of the disk, or a `SluiceError`: `MUX_ERROR`, or `DURATION_MISMATCH` for what
 * a person should look at.
 */
export async function verifyMuxed(path: string, job: VerifyJob): Promise<void> {
  const input = await openMedia(path)
  try {
    const streams = await streamsOf(await input.getTracks(), job.tracks)
    compare(job, await lookThrough(streams, job))
  } catch (error) {
    if (error instanceof SluiceError || error instanceof Stopped) throw error
    if (isErrno(error)) throw error
    throw new SluiceError('MUX_ERROR', 'The result cannot be read back', { cause: error })
  } finally {
    input.dispose()
  }
}
