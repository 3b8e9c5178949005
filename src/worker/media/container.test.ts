import { describe, expect, it } from 'vitest'
import { chooseContainer, containerOf } from './container.ts'

describe('the container of a muxed file', () => {
  it.each([
    [['avc', 'aac'], 'mp4'],
    [['hevc', 'eac3'], 'mp4'],
    [['av1', 'opus'], 'mp4'],
    [['vp9', 'opus'], 'webm'],
    [['vp8', 'vorbis'], 'webm'],
    [['vp9', 'aac'], 'mkv'],
    [['avc', 'vorbis'], 'mkv'],
    [['avc', 'flac'], 'mkv'],
  ] as const)('%j goes into %s', (codecs, container) => {
    expect(containerOf(codecs)).toBe(container)
    expect(chooseContainer(null, codecs)).toBe(container)
  })

  it('is the one that was asked for when that can hold the tracks', () => {
    expect(chooseContainer('mkv', ['avc', 'aac'])).toBe('mkv')
    expect(chooseContainer('mp4', ['vp9', 'opus'])).toBe('mp4')
  })

  it.each([
    ['webm', ['avc', 'aac']],
    ['mp4', ['vp8', 'aac']],
    ['mp4', ['avc', 'vorbis']],
  ] as const)('a %s file is refused for %j, with a way out', (asked, codecs) => {
    expect(() => chooseContainer(asked, codecs)).toThrow(
      expect.objectContaining({ code: 'MUX_ERROR', hint: expect.stringContaining('.mkv') as unknown }),
    )
  })
})
