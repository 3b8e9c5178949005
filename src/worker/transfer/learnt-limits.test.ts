import { expect, test } from 'vitest'
import { hostNews } from '../host-news.ts'
import { LearntLimits } from './learnt-limits.ts'

const hour = 3_600_000
const origin = 'https://host.test:81'

test('the least that a host bore counts, and one more is tried each hour', () => {
  let now = 0
  const limits = new LearntLimits(() => now)
  expect(limits.of(origin)).toBe(Infinity)
  limits.learn(origin, 3)
  limits.learn(origin, 5)
  expect(limits.of(origin)).toBe(3)
  now = 2 * hour
  expect(limits.of(origin)).toBe(5)
  limits.learn(origin, 4)
  expect(limits.of(origin)).toBe(4)
  expect(limits.of('https://other.test')).toBe(Infinity)
})

test('each refusal is news once, also when it was at the same number as an hour ago', () => {
  let now = 0
  const limits = new LearntLimits(() => now)
  const news = hostNews(limits)
  expect(news()).toEqual([])
  limits.learn(origin, 2)
  expect(news()).toEqual([{ host: 'host.test:81', connections: 2 }])
  expect(news()).toEqual([])
  now = hour
  limits.learn(origin, 2)
  expect(news()).toEqual([{ host: 'host.test:81', connections: 2 }])
})
