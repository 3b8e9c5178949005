import { beforeAll, describe, expect, test } from 'vitest'
import { plain } from './figures.ts'
import { createFormat, daysApart, duration, fullMoment, moment, speed } from './format.ts'
import type { Words } from './words.ts'
import { wordsOf } from './words-of.ts'

const nbsp = '\u00a0'
const at = (day: number, hour: number, minute: number): number =>
  new Date(2025, 5, day, hour, minute).getTime()

describe('sizes', () => {
  const english = createFormat('en-GB')
  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1 kB'],
    [88_123, '88.1 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [5_360_000_000, '5.36 GB'],
    [28_600_000_000, '28.6 GB'],
    [3_200_000_000_000_000, '3,200 TB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(english.size(bytes).replaceAll(nbsp, ' ')).toBe(text)
  })

  test('number and unit never break apart', () => {
    expect(english.size(5_360_000_000)).toBe(`5.36${nbsp}GB`)
    expect(createFormat('zh-CN').size(5_360_000_000)).toBe(`5.36${nbsp}GB`)
  })

  test('a part in the unit of the whole has no unit of its own', () => {
    expect(english.part(3_140_000_000, 5_360_000_000)).toBe('3.14')
    expect(english.part(817_000_000, 1_340_000_000)).toBe(`817${nbsp}MB`)
  })
})

describe('shares', () => {
  const english = createFormat('en-GB')
  test('100 % is only shown when it is whole', () => {
    expect(english.percent(0.999)).toBe('99%')
    expect(english.percent(1)).toBe('100%')
  })
  test('a share is not short by one through binary fractions', () => {
    for (let share = 0; share <= 100; share++) expect(english.percent(share / 100)).toBe(`${String(share)}%`)
  })
})

describe('times', () => {
  let words: Words
  let chinese: Words
  beforeAll(async () => {
    words = await wordsOf('en')
    chinese = await wordsOf('zh-CN')
  })

  test.each([
    [0, '0 s'],
    [12, '12 s'],
    [59.4, '59 s'],
    [60, '1 min'],
    [180, '3 min'],
    [3599, '1 h'],
    [5280, '1 h 28 min'],
    [86_400, '1 d'],
    [187_200, '2 d 4 h'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(plain(duration(words, seconds))).toBe(text)
  })

  test('speeds are never finer than kilobytes, and nothing is nothing', () => {
    const said = (rate: number): string => plain(speed(words, rate)).replaceAll(nbsp, ' ')
    expect(said(0)).toBe('0 MB/s')
    expect(said(300)).toBe('0.3 kB/s')
    expect(said(12_400_000)).toBe('12.4 MB/s')
  })

  test('moments are told by the calendar, not by hours', () => {
    const now = at(14, 0, 30)
    expect(plain(moment(words, at(14, 0, 10), now))).toBe('at 00:10')
    expect(plain(moment(words, at(13, 23, 50), now))).toBe('yesterday')
    expect(plain(moment(words, at(3, 9, 41), now))).toBe('on 3 Jun')
    expect(plain(fullMoment(words, at(3, 9, 41), now))).toBe('3 Jun, 09:41')
    expect(plain(fullMoment(chinese, at(13, 9, 41), now))).toBe('昨天 09:41')
  })

  test('another year is named', () => {
    expect(plain(moment(words, new Date(2024, 11, 31, 12).getTime(), at(1, 1, 1)))).toBe('on 31 Dec 2024')
  })

  test('days are counted over the change to summer time', () => {
    expect(daysApart(new Date(2025, 2, 29, 23).getTime(), new Date(2025, 2, 31, 1).getTime())).toBe(2)
  })
})
