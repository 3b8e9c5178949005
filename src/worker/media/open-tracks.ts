/** The tracks to be muxed, opened and looked at once: codec, duration, format. */
import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny'
import type { InputAudioTrack, InputVideoTrack } from 'mediabunny'
import { SluiceError } from '../../shared/errors.ts'
import type { Container, MuxOrder } from './muxer.ts'

type OrderedTrack = MuxOrder['tracks'][number]

export interface OpenTrack {
  path: string
  kind: 'video' | 'audio'
  input: Input
  track: InputVideoTrack | InputAudioTrack
  codec: string
  /** seconds */
  duration: number
  /** of the first packet, seconds; may be negative (encoder priming) */
  firstTimestamp: number
  /** FFmpeg's name of the demuxer */
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

function openFile(path: string): Input {
  return new Input({ formats: ALL_FORMATS, source: new FilePathSource(path, { maxCacheSize: 4 << 20 }) })
}

async function openTrack(ordered: OrderedTrack): Promise<OpenTrack> {
  const name = ordered.kind === 'video' ? 'video' : 'audio'
  const input = openFile(ordered.path)
  try {
    const track = name === 'video' ? await input.getPrimaryVideoTrack() : await input.getPrimaryAudioTrack()
    const codec = (await track?.getCodec()) ?? null
    if (track === null || codec === null) {
      throw new SluiceError('MUX_ERROR', `The ${name} link holds no ${name} that can be read`)
    }
    const format = await input.getFormat()
    return {
      path: ordered.path,
      kind: name,
      input,
      track,
      codec,
      duration: await track.computeDuration({ metadataOnly: true }),
      firstTimestamp: await track.getFirstTimestamp(),
      demuxer: demuxers[format.name] ?? '',
    }
  } catch (error) {
    input.dispose()
    if (error instanceof SluiceError) throw error
    throw new SluiceError(
      'MUX_ERROR',
      `The ${name} track cannot be read: it is damaged or of an unknown format`,
      {
        cause: error,
      },
    )
  }
}

/**
 * Opens all tracks of an order; `close` releases their files.
 * @throws SluiceError `MUX_ERROR` when one cannot be read
 */
export async function openTracks(
  ordered: readonly OrderedTrack[],
): Promise<{ tracks: OpenTrack[]; close: () => void }> {
  const tracks: OpenTrack[] = []
  const close = () => {
    for (const { input } of tracks) input.dispose()
  }
  try {
    for (const one of ordered) tracks.push(await openTrack(one))
  } catch (error) {
    close()
    throw error
  }
  return { tracks, close }
}

const mp4Codecs = new Set(['avc', 'hevc', 'av1', 'aac', 'ac3', 'eac3', 'opus', 'mp3'])
const webmCodecs = new Set(['vp8', 'vp9', 'av1', 'opus', 'vorbis'])

/** The container that fits the codecs; extensions lie too often to decide (5-media, "Muxing"). */
export function containerOf(codecs: readonly string[]): Container {
  if (codecs.every((codec) => mp4Codecs.has(codec))) return 'mp4'
  if (codecs.every((codec) => webmCodecs.has(codec))) return 'webm'
  return 'mkv'
}
