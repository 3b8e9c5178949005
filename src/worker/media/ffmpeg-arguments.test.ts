import { describe, expect, it } from 'vitest'
import { ffmpegArguments } from './ffmpeg-arguments.ts'

type TrackFacts = Parameters<typeof ffmpegArguments>[0]['tracks'][number]

const picture: TrackFacts = { path: '/w/0.part', kind: 'video', codec: 'avc', start: 0, demuxer: 'mov' }
const sound: TrackFacts = { path: '/w/1.part', kind: 'audio', codec: 'aac', start: -0.023, demuxer: 'mov' }

function argumentsOf(tracks: readonly TrackFacts[]): string[] {
  return ffmpegArguments({ tracks, container: 'mp4', to: '/w/2.part' })
}

describe('the call of FFmpeg', () => {
  it('names local files by absolute path and format, and allows nothing but files and the pipe', () => {
    expect(argumentsOf([picture, sound]).join(' ')).toBe(
      '-nostdin -hide_banner -loglevel error -protocol_whitelist file,pipe ' +
        '-f mov -i file:/w/0.part -f mov -i file:/w/1.part -map 0:v:0 -map 1:a:0 ' +
        '-c copy -map_metadata -1 -progress pipe:1 -stats_period 0.25 -f mp4 -n file:/w/2.part',
    )
  })

  it('keeps tracks as far apart as they were', () => {
    const late = argumentsOf([
      { ...picture, start: 10 },
      { ...sound, start: 10.5 },
    ])
    expect(late.join(' ')).toContain('-f mov -i file:/w/0.part -itsoffset 0.500000 -f mov -i file:/w/1.part')
  })

  it('takes priming before zero for no distance', () => {
    expect(argumentsOf([picture, sound])).not.toContain('-itsoffset')
  })

  it('gives HEVC in mp4 the name that all players take', () => {
    expect(argumentsOf([{ ...picture, codec: 'hevc' }, sound]).join(' ')).toContain('-c copy -tag:v hvc1')
    expect(argumentsOf([picture, sound])).not.toContain('-tag:v')
  })
})
