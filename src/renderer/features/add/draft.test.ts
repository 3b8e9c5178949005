import { describe, expect, test } from 'vitest'
import type { AddDraft } from './draft.ts'
import {
  allLinks,
  commandsOf,
  emptyDraft,
  headersIn,
  heldFrom,
  linksIn,
  taskCount,
  withLinks,
} from './draft.ts'

const draft = emptyDraft('', '/downloads')

const commandsFor = (typed: AddDraft) =>
  commandsOf(typed, allLinks(linksIn(typed.links), typed.held), '/downloads')

describe('links', () => {
  test('stand on lines or between spaces, and count once', () => {
    expect(linksIn(' https://a/1\n\nhttps://b/2  https://a/1\r\n').links).toEqual([
      'https://a/1',
      'https://b/2',
    ])
    expect(linksIn('https://a/1\nnot a link').links).toEqual(['https://a/1', 'not a link'])
    expect(linksIn('   ')).toEqual({ links: [], patterns: [], fault: null })
  })

  test('with a range in brackets stand for as many as it counts, and say so', () => {
    expect(linksIn('https://a/x https://a/[08-10].jpg')).toEqual({
      links: ['https://a/x', 'https://a/08.jpg', 'https://a/09.jpg', 'https://a/10.jpg'],
      patterns: [
        { text: 'https://a/[08-10].jpg', count: 3, first: 'https://a/08.jpg', last: 'https://a/10.jpg' },
      ],
      fault: null,
    })
    // an address is no range
    expect(linksIn('http://[::1]/a').patterns).toEqual([])
  })

  test('of a range that cannot be written out, or too many of them, are a fault', () => {
    expect(linksIn('https://a/[1-9:0]').fault).toBe('pattern')
    expect(linksIn('https://a/[1-20000]').fault).toBe('pattern')
    const many = Array.from({ length: 11 }, (_, index) => `https://a/${index}/[1-10000]`)
    expect(linksIn(many.join(' ')).fault).toBe('too-many')
  })

  test('become as many commands as their number and length need, and none is lost', () => {
    const sizes = (links: string[]): number[] =>
      commandsFor({ ...draft, links: links.join('\n') }).map((input) =>
        'links' in input ? input.links.length : 0,
      )
    expect(sizes(Array.from({ length: 2001 }, (_, index) => `h/${String(index)}`))).toEqual([
      500, 500, 500, 500, 1,
    ])
    const long = Array.from({ length: 100 }, (_, index) => `https://a/${String(index)}?${'x'.repeat(8000)}`)
    expect(sizes(long).reduce((sum, size) => sum + size, 0)).toBe(100)
    expect(Math.max(...sizes(long))).toBeLessThan(38)
  })
})

describe('links in great number', () => {
  const many = Array.from({ length: 2001 }, (_, index) => `https://a/${index}`)

  test('are held beside the field, which stays quick; a few are not', () => {
    expect(heldFrom(many.join('\n'))).toEqual(many)
    expect(heldFrom('https://a/1\nhttps://a/2')).toBeNull()
    expect(heldFrom(`https://a/?${'x'.repeat(8000)}`)).toBeNull()
    expect(emptyDraft(many.join('\n'), '/downloads')).toMatchObject({ links: '', held: many })
    expect(withLinks(draft, many)).toMatchObject({ links: '', held: many })
    expect(withLinks({ ...draft, held: many }, ['https://a/1'])).toMatchObject({
      links: 'https://a/1',
      held: [],
    })
  })

  test('count once beside those of the field, and go to the front in their order', () => {
    const both = { ...draft, links: 'https://a/0 https://b', held: many, goesFirst: true }
    expect(allLinks(linksIn(both.links), both.held)).toHaveLength(2002)
    const firsts = commandsFor(both).map((input) => ('links' in input ? input.links[0] : null))
    // sent last, in front of all
    expect(firsts.at(-1)).toBe('https://a/0')
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
    expect(commandsFor({ ...draft, links: 'https://a/1' })).toEqual([{ links: ['https://a/1'], options: {} }])
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
    expect(commandsFor(chosen)).toEqual([
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
    expect(commandsFor({ ...draft, links: 'https://a/1 https://a/2', name: 'x' })[0]?.options).toEqual({})
  })

  test('of a pair is one task', () => {
    const pair = {
      ...draft,
      kind: 'pair' as const,
      video: ' https://v ',
      audio: 'https://a',
      name: 'film.mp4',
    }
    expect(taskCount(pair, [])).toBe(1)
    expect(taskCount({ ...pair, audio: ' ' }, [])).toBe(0)
    expect(commandsFor(pair)).toEqual([
      { pair: { video: 'https://v', audio: 'https://a' }, options: { name: 'film.mp4' } },
    ])
  })
})
