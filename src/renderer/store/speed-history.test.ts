import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Bridge } from '../../shared/contract/bridge.ts'
import { createAppStore } from './app-store.ts'
import { memoryStorage } from './memory-storage.ts'
import { followSpeed } from './speed-history.ts'

let tell: (bytesPerSecond: number) => void = () => undefined
// the one method of a bridge that is used
const bridge = {
  on: (_name: string, listener: (event: { bytesPerSecond: number }) => void) => {
    tell = (bytesPerSecond) => listener({ bytesPerSecond })
    return () => undefined
  },
} as unknown as Bridge

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the seconds go on while the host has nothing new to tell', () => {
  const store = createAppStore(memoryStorage())
  followSpeed(bridge, store)
  tell(10)
  vi.advanceTimersByTime(2000)
  expect(store.getState().speeds).toEqual([10, 10, 10])
  tell(0)
  vi.advanceTimersByTime(1000)
  expect(store.getState().speeds).toEqual([10, 10, 10, 0])
})

test('a minute after the last byte nothing moves any more', () => {
  const store = createAppStore(memoryStorage())
  followSpeed(bridge, store)
  tell(10)
  tell(0)
  vi.advanceTimersByTime(61_000)
  expect([store.getState().speeds, vi.getTimerCount()]).toEqual([[], 0])
  tell(0)
  expect(vi.getTimerCount()).toBe(0)
})
