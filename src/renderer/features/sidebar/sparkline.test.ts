import { expect, test } from 'vitest'
import { sparkline } from './sparkline.ts'

test('the newest figure is at the right end and the highest reaches the top', () => {
  expect(sparkline([0, 10, 5], 3, 100, 28).curve).toBe('M0.0 27.0L50.0 2.0L100.0 14.5')
})

test('a short history begins further right', () => {
  expect(sparkline([1, 1], 61, 60, 28).curve).toBe('M59.0 2.0L60.0 2.0')
})

test('no traffic lies on the bottom, and a single figure is no curve', () => {
  expect(sparkline([0, 0], 2, 10, 28)).toEqual({
    curve: 'M0.0 27.0L10.0 27.0',
    area: 'M0.0 27.0L10.0 27.0L10.0 28L0.0 28z',
  })
  expect(sparkline([5], 60, 10, 28)).toEqual({ curve: '', area: '' })
})
