import { describe, expect, it } from 'vitest'
import { duration, size } from './words.ts'

describe('figures in words', () => {
  it.each([
    [0, '0 B'],
    [999.6, '1000 B'],
    [1000, '1.0 kB'],
    [999_949, '999.9 kB'],
    [999_951, '1.0 MB'],
    [12_345_678, '12.3 MB'],
    [5e15, '5000.0 TB'],
  ])('%d bytes are %s', (bytes, words) => {
    expect(size(bytes)).toBe(words)
  })

  it.each([
    [0.2, '1s'],
    [59.5, '1m00s'],
    [200, '3m20s'],
    [7500, '2h05m'],
    [99 * 3600 + 59 * 60, '99h59m'],
    [100 * 3600, '4d04h'],
    [1e9, ''],
  ])('%d seconds are %s', (seconds, words) => {
    expect(duration(seconds)).toBe(words)
  })
})
