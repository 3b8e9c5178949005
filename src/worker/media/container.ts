/** Which container holds which codecs: by what is in the tracks, never by a file's extension (5-media, "Muxing"). */
import { SluiceError } from '../../shared/errors.ts'
import type { Container } from './mux-order.ts'

/** mediabunny's names; those that common players take in this container. */
const mp4 = ['avc', 'hevc', 'av1', 'aac', 'ac3', 'eac3', 'opus', 'mp3']
const webm = ['vp8', 'vp9', 'av1', 'opus', 'vorbis']

/** What a container may hold when it was asked for; Matroska holds everything. */
const allowed: Readonly<Record<Container, readonly string[] | null>> = {
  mp4: [...mp4, 'vp9', 'flac'],
  webm,
  mkv: null,
}

/** The container for tracks of these codecs. */
export function containerOf(codecs: readonly string[]): Container {
  if (codecs.every((codec) => mp4.includes(codec))) return 'mp4'
  if (codecs.every((codec) => webm.includes(codec))) return 'webm'
  return 'mkv'
}

/** The container that was asked for, else the one that fits. Throws `MUX_ERROR` when the asked one cannot hold it. */
export function chooseContainer(asked: Container | null, codecs: readonly string[]): Container {
  if (asked === null) return containerOf(codecs)
  const refused = codecs.find((codec) => allowed[asked]?.includes(codec) === false)
  if (refused === undefined) return asked
  throw new SluiceError('MUX_ERROR', `A ${asked} file cannot hold ${refused}`, {
    hint: 'Give the file a name that ends in .mkv, then retry.',
    details: { codec: refused },
  })
}
