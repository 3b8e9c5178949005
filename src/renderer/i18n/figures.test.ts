import { expect, test } from 'vitest'
import { isMarked, isolate, plain, spans } from './figures.ts'

test('a sentence is taken apart into words and figures', () => {
  expect(spans(`Downloading · ${isolate('12.4 MB/s')} · ${isolate('3 min')} left`)).toEqual([
    { text: 'Downloading · ', isFigure: false },
    { text: '12.4 MB/s', isFigure: true },
    { text: ' · ', isFigure: false },
    { text: '3 min', isFigure: true },
    { text: ' left', isFigure: false },
  ])
})

test('a figure within a figure belongs to the outer one', () => {
  const speed = isolate(`${isolate('12.4 MB')}/s`)
  expect(spans(speed)).toEqual([{ text: '12.4 MB/s', isFigure: true }])
})

test('a sentence knows whether its figures stand apart', () => {
  expect(isMarked(`${isolate('2')} files`)).toBe(true)
  expect(isMarked('2 files')).toBe(false)
})

test('the plain sentence has no marks left', () => {
  expect(plain(`${isolate('2')} of ${isolate(isolate('3'))}`)).toBe('2 of 3')
})
