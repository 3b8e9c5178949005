import { expect, it } from 'vitest'
import { wrapManual } from './wrap-manual.ts'

it('what fits stays as it is', () => {
  const text = '\nExit codes:\n  0  done\n'
  expect(wrapManual(text, 40)).toBe(text)
})

it('what does not goes on under its own beginning, behind the term if it has one', () => {
  const text =
    '  A sentence that is longer than forty columns.\n  130  interrupted; the same command goes on from there'
  expect(wrapManual(text, 40).split('\n')).toEqual([
    '  A sentence that is longer than forty',
    '  columns.',
    '  130  interrupted; the same command',
    '       goes on from there',
  ])
})

it('a word without an end is not cut', () => {
  expect(wrapManual(`a ${'x'.repeat(60)} b`, 40).split('\n')).toEqual(['a', 'x'.repeat(60), 'b'])
})
