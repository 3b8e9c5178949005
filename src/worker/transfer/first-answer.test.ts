import { describe, expect, it } from 'vitest'
import type { Answer, Held } from './first-answer.ts'
import { judgeFirstAnswer } from './first-answer.ts'

const nothing: Held = { bytes: 0, front: 0, length: null, validator: null, resumable: true }
const tag = { kind: 'etag', value: '"a"' } as const
const held: Held = { bytes: 50, front: 50, length: 100, validator: tag, resumable: true }
const part = (start: number, end: number, total: number | null, more: Partial<Answer> = {}): Answer => ({
  status: 206,
  contentRange: { kind: 'range', start, end, total },
  framing: { kind: 'length', length: end - start },
  facts: { length: total, validator: tag },
  ...more,
})
const whole = (length: number | null, more: Partial<Answer> = {}): Answer => ({
  status: 200,
  contentRange: null,
  framing: length === null ? { kind: 'chunked' } : { kind: 'length', length },
  facts: { length, validator: null },
  ...more,
})
const refused = (total: number | null): Answer => ({
  status: 416,
  contentRange: { kind: 'unsatisfied', total },
  framing: { kind: 'none' },
  facts: { length: total, validator: null },
})

describe('the first answer', () => {
  it.each<[string, Held, number | null, Answer, object]>([
    ['206 from zero is used', nothing, 0, part(0, 100, 100), { kind: 'use', start: 0, end: 100 }],
    ['a shorter 206 is legal', nothing, 0, part(0, 40, 100), { kind: 'use', start: 0, end: 40 }],
    ['206 goes on', held, 50, part(50, 100, 100), { kind: 'use', start: 50, end: 100 }],
    [
      'an unknown total is no contradiction',
      held,
      50,
      part(50, 100, null),
      { kind: 'use', start: 50, end: 100 },
    ],
    ['B16 another start is broken', held, 50, part(60, 100, 100), { kind: 'broken' }],
    ['B16 with nothing held the whole is asked for', nothing, 0, part(10, 100, 100), { kind: 'ask-plain' }],
    ['B16 another total is another version', held, 50, part(50, 120, 120), { kind: 'changed' }],
    [
      'C027 an unreadable range asks plainly',
      held,
      50,
      part(50, 100, 100, { contentRange: null }),
      { kind: 'ask-plain' },
    ],
    [
      'a body that is not its range is broken',
      held,
      50,
      part(50, 100, 100, { framing: { kind: 'length', length: 9 } }),
      { kind: 'broken' },
    ],
    ['206 without a range asked is broken', nothing, null, part(0, 100, 100), { kind: 'broken' }],
    [
      'B18 another validator is another version',
      held,
      50,
      part(50, 100, 100, { facts: { length: 100, validator: { kind: 'etag', value: '"b"' } } }),
      { kind: 'changed' },
    ],
    ['B17 200 with nothing held is the whole', nothing, 0, whole(100), { kind: 'use', start: 0, end: 100 }],
    ['B17 200 of unknown length', nothing, 0, whole(null), { kind: 'use', start: 0, end: null }],
    ['B17 200 with data held is another version', held, 50, whole(100), { kind: 'changed' }],
    [
      '200 of the same strong validator repeats it',
      held,
      50,
      whole(100, { facts: { length: 100, validator: tag } }),
      { kind: 'use', start: 0, end: 100 },
    ],
    [
      'the same validator with another length is another version',
      held,
      50,
      whole(90, { facts: { length: 90, validator: tag } }),
      { kind: 'changed' },
    ],
    [
      'C022 200 of a host that does not resume begins anew',
      { ...held, resumable: false },
      50,
      whole(100),
      { kind: 'from-zero' },
    ],
    [
      'C031 416 with our total is completion',
      { ...held, bytes: 100, front: 100 },
      100,
      refused(100),
      { kind: 'complete', length: 100 },
    ],
    [
      'C031 without a total ours is believed',
      { ...held, bytes: 100, front: 100 },
      100,
      refused(null),
      { kind: 'complete', length: 100 },
    ],
    [
      'C031 B20 a smaller total is another version',
      { ...held, bytes: 100, front: 100 },
      100,
      refused(90),
      { kind: 'changed' },
    ],
    ['B20 416 below the end is another version', held, 50, refused(null), { kind: 'changed' }],
    ['C054 416 of nothing is an empty file', nothing, 0, refused(0), { kind: 'complete', length: 0 }],
    ['416 to the whole asks plainly', nothing, 0, refused(100), { kind: 'ask-plain' }],
  ])('%s', (_, have, asked, answer, judgement) => {
    expect(judgeFirstAnswer(have, asked, answer)).toMatchObject(judgement)
  })
})
