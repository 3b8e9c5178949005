/** How FFmpeg is called to copy tracks into one file. Pure. */
import type { Container } from './mux-order.ts'
import type { OpenTrack } from './open-tracks.ts'

type Track = Pick<OpenTrack, 'path' | 'kind' | 'codec' | 'start' | 'demuxer'>

const muxers: Readonly<Record<Container, string>> = { mp4: 'mp4', webm: 'webm', mkv: 'matroska' }

/**
 * FFmpeg moves each input to time zero by itself, and so loses how far apart they were. What encoders put before
 * zero (priming) is not meant: that stays as it is.
 */
function delay(track: Track, tracks: readonly Track[]): string[] {
  const first = Math.min(...tracks.map(({ start }) => Math.max(0, start)))
  const seconds = Math.max(0, track.start) - first
  return seconds === 0 ? [] : ['-itsoffset', seconds.toFixed(6)]
}

export function ffmpegArguments(job: {
  tracks: readonly Track[]
  container: Container
  to: string
}): string[] {
  const { tracks, container, to } = job
  const inputs = tracks.flatMap((track) => [
    ...delay(track, tracks),
    ...['-f', track.demuxer, '-i', `file:${track.path}`],
  ])
  const maps = tracks.flatMap(({ kind }, index) => ['-map', `${index}:${kind === 'video' ? 'v' : 'a'}:0`])
  // players of one large maker take HEVC in mp4 under this name only
  const isHevc = container === 'mp4' && tracks.some(({ codec }) => codec === 'hevc')
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-protocol_whitelist', 'file,pipe'],
    ...inputs,
    ...maps,
    ...['-c', 'copy', ...(isHevc ? ['-tag:v', 'hvc1'] : []), '-map_metadata', '-1'],
    ...['-progress', 'pipe:1', '-stats_period', '0.25'],
    ...['-f', muxers[container], '-n', `file:${to}`],
  ]
}
