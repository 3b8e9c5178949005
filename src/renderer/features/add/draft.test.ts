import { describe, expect, test } from 'vitest'
import { commandsOf, emptyDraft, headersIn, linksIn, taskCount } from './draft.ts'

const draft = emptyDraft('', '/downloads')

describe('links', () => {
  test('stand on lines or between spaces, and count once', () => {
    expect(linksIn(' https://a/1\n\nhttps://b/2  https://a/1\r\n')).toEqual(['https://a/1', 'https://b/2'])
    expect(linksIn('   ')).toEqual([])
  })

  test('become as many commands as their number and length need, and none is lost', () => {
    const sizes = (links: string[]): number[] =>
      commandsOf({ ...draft, links: links.join('\n') }, '/downloads').map((input) =>
        'links' in input ? input.links.length : 0,
      )
    expect(sizes(Array.from({ length: 10_001 }, (_, index) => `h/${String(index)}`))).toEqual([10_000, 1])
    const long = Array.from({ length: 100 }, (_, index) => `https://a/${String(index)}?${'x'.repeat(8000)}`)
    expect(sizes(long).reduce((sum, size) => sum + size, 0)).toBe(100)
    expect(Math.max(...sizes(long))).toBeLessThan(38)
  })
})

describe('headers', () => {
  test('are names and values on lines', () => {
    expect(headersIn('Referer: https://a/b\n\n X-Token :  s: t ')).toEqual({
      headers: [
        ['Referer', 'https://a/b'],
        ['X-Token', 's: t'],
      ],
      wrongLines: [],
    })
  })

  test('that are none are named by their lines', () => {
    expect(headersIn('Referer: x\nno header\n: empty name').wrongLines).toEqual([2, 3])
  })
})

describe('the command', () => {
  test('says only what differs from the settings', () => {
    expect(commandsOf({ ...draft, links: 'https://a/1' }, '/downloads')).toEqual([
      { links: ['https://a/1'], options: {} },
    ])
  })

  test('carries all that was chosen', () => {
    const chosen = {
      ...draft,
      links: 'https://a/1',
      folder: '/other ',
      name: ' film.mp4 ',
      startsLater: true,
      headers: 'A: b',
      goesFirst: true,
    }
    expect(commandsOf(chosen, '/downloads')).toEqual([
      {
        links: ['https://a/1'],
        options: {
          folder: '/other',
          name: 'film.mp4',
          headers: [['A', 'b']],
          startPaused: true,
          priority: 'front',
        },
      },
    ])
  })

  test('gives no name to several links', () => {
    expect(
      commandsOf({ ...draft, links: 'https://a/1 https://a/2', name: 'x' }, '/downloads')[0]?.options,
    ).toEqual({})
  })

  test('of a pair is one task', () => {
    const pair = {
      ...draft,
      kind: 'pair' as const,
      video: ' https://v ',
      audio: 'https://a',
      name: 'film.mp4',
    }
    expect(taskCount(pair)).toBe(1)
    expect(taskCount({ ...pair, audio: ' ' })).toBe(0)
    expect(commandsOf(pair, '/downloads')).toEqual([
      { pair: { video: 'https://v', audio: 'https://a' }, options: { name: 'film.mp4' } },
    ])
  })
})
