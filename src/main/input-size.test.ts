import { expect, test } from 'vitest'
import { isHeavierThan, maxInputWeight } from './input-size.ts'

test('ten thousand ordinary links are within the limit', () => {
  const links = Array.from(
    { length: 10_000 },
    (_, i) => `https://host.example/path/to/file-${i}?signature=abcdef`,
  )
  expect(isHeavierThan(maxInputWeight, { links })).toBe(false)
})

test.each([
  ['one long text', 'x'.repeat(1001)],
  ['many short texts', Array.from({ length: 200 }, () => 'x')],
  ['long keys', { ['k'.repeat(1001)]: 1 }],
  ['a deep value', JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown],
  ['bytes', new Uint8Array(1001)],
  ['a map', new Map([['key', 'x'.repeat(1001)]])],
])('%s beyond the limit is heavier', (_name, value) => {
  expect(isHeavierThan(1000, value)).toBe(true)
})

test('a value that contains itself is heavier than any limit', () => {
  const value: { self?: unknown } = {}
  value.self = value
  expect(isHeavierThan(maxInputWeight, value)).toBe(true)
})

test('small values are not heavier', () => {
  for (const value of [undefined, null, 1, 'text', {}, [], { a: [1, { b: 'c' }] }]) {
    expect(isHeavierThan(1000, value)).toBe(false)
  }
})
