/** The tracks to be muxed, opened and looked at once: codec, times, format. */
import { open } from 'node:fs/promises'
import { ALL_FORMATS, Input } from 'mediabunny'
import type { InputAudioTrack, InputVideoTrack } from 'mediabunny'
import type { ErrorCode } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import { isCutOff } from './cut-off.ts'
import { isErrno } from './mux-ends.ts'
import type { MuxOrder } from './mux-order.ts'
import { openTrackSource } from './track-source.ts'

type OrderedTrack = MuxOrder['tracks'][number]

export interface OpenTrack {
  path: string
  kind: 'video' | 'audio'
  input: Input
  track: InputVideoTrack | InputAudioTrack
  codec: string
  /** seconds of the first packet; negative with an encoder's priming */
  start: number
  /** seconds at which the last packet ends */
  end: number
  /** FFmpeg's name of the demuxer, empty when we know none */
  demuxer: string
}

/** mediabunny's names of formats as FFmpeg's names of demuxers. */
const demuxers: Readonly<Record<string, string>> = {
  MP4: 'mov',
  'QuickTime File Format': 'mov',
  Matroska: 'matroska',
  WebM: 'matroska',
  Ogg: 'ogg',
  MP3: 'mp3',
  WAVE: 'wav',
  ADTS: 'aac',
  FLAC: 'flac',
  'MPEG Transport Stream': 'mpegts',
}

/** Opens a media file of whatever container; `dispose` closes it. Rejects with the errno of the disk. */
export async function openMedia(path: string): Promise<Input> {
  return new Input({ formats: ALL_FORMATS, source: await openTrackSource(path) })
}

async function describe(
  ordered: OrderedTrack,
  input: Input,
  accepted: ReadonlySet<ErrorCode>,
): Promise<OpenTrack> {
  const { path, kind } = ordered
  if (kind === 'subtitle') throw new SluiceError('MUX_ERROR', 'Subtitles cannot be put into the file yet')
  const track = await (kind === 'video' ? input.getPrimaryVideoTrack() : input.getPrimaryAudioTrack())
  const codec = (await track?.getCodec()) ?? null
  if (track === null || codec === null) {
    throw new SluiceError('MUX_ERROR', `The ${kind} link holds no ${kind} that can be read`)
  }
  const opened: OpenTrack = {
    path,
    kind,
    input,
    track,
    codec,
    start: await track.getFirstTimestamp(),
    end: await track.computeDuration({ metadataOnly: true }),
    demuxer: demuxers[(await input.getFormat()).name] ?? '',
  }
  await checkLength(opened, accepted)
  return opened
}

/** Seconds by which two durations of one thing may differ: 1 s or 1 %, whichever is more. */
export function durationTolerance(seconds: number): number {
  return Math.max(1, seconds * 0.01)
}

/**
 * A file whose host did not announce its length may have been cut off; its own header tells how long it was meant
 * to be. In a file of several tracks the header speaks of the longest one, which may be another.
 */
async function checkLength(opened: OpenTrack, accepted: ReadonlySet<ErrorCode>): Promise<void> {
  const { input, track, kind, start, end } = opened
  if (accepted.has('TOO_SHORT')) return
  if ((await input.getTracks()).length > 1) return
  const announced = await track.getDurationFromMetadata()
  if (announced === null || end - start >= announced - start - durationTolerance(announced)) return
  throw new SluiceError('TOO_SHORT', `The ${kind} is shorter than its own header says`, {
    details: { seconds: Math.round(end), expectedSeconds: Math.round(announced) },
  })
}

async function refuseCutOff({ path, kind }: OrderedTrack): Promise<void> {
  const handle = await open(path, 'r')
  try {
    if (!(await isCutOff(handle))) return
  } finally {
    await handle.close()
  }
  throw new SluiceError('MUX_ERROR', `The ${kind} track was cut off: its end is missing`, {
    hint: 'Download the tracks again.',
  })
}

async function openTrack(ordered: OrderedTrack, accepted: ReadonlySet<ErrorCode>): Promise<OpenTrack> {
  await refuseCutOff(ordered)
  const input = await openMedia(ordered.path)
  try {
    return await describe(ordered, input, accepted)
  } catch (error) {
    input.dispose()
    if (error instanceof SluiceError || isErrno(error)) throw error
    throw new SluiceError(
      'MUX_ERROR',
      `The ${ordered.kind} track cannot be read: it is damaged or of an unknown format`,
      { cause: error },
    )
  }
}

/**
 * Opens all tracks of an order; `close` releases their files. Rejects with an errno of the disk, or a
 * `SluiceError`: `MUX_ERROR` when one cannot be read, `TOO_SHORT` when one was cut off and nobody accepted that.
 */
export async function openTracks(
  ordered: readonly OrderedTrack[],
  accepted: ReadonlySet<ErrorCode> = new Set(),
): Promise<{ tracks: OpenTrack[]; close: () => void }> {
  const tracks: OpenTrack[] = []
  const close = () => {
    for (const { input } of tracks) input.dispose()
  }
  try {
    for (const one of ordered) tracks.push(await openTrack(one, accepted))
  } catch (error) {
    close()
    throw error
  }
  return { tracks, close }
}
