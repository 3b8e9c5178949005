import { expect, test } from 'vitest'
import { formatSpeed, textsFor } from './texts.ts'

test('the language setting decides, and the system where it says so', () => {
  expect(textsFor('zh-CN', 'en-US').quit).toBe('退出')
  expect(textsFor('en', 'zh-CN').quit).toBe('Quit')
  expect(textsFor('system', 'zh-CN').quit).toBe('退出')
  expect(textsFor('system', 'de-DE').quit).toBe('Quit')
})

test.each([
  [0, '0 B/s'],
  [999, '999 B/s'],
  [1000, '1.0 KB/s'],
  [12_345_678, '12.3 MB/s'],
  [999_950_000, '1.0 GB/s'],
  [123_400_000_000_000, '123400 GB/s'],
])('%d bytes per second read as %s', (speed, text) => {
  expect(formatSpeed(speed)).toBe(text)
})
