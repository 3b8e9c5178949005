import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stopBeforeQuit, stopGraceMs } from './quit.ts'
import type { QuitSteps } from './quit.ts'

class AppLike extends EventEmitter {
  readonly exits: number[] = []
  exit = (code = 0): void => {
    this.exits.push(code)
  }
  /** Asks to quit; returns whether the app was held back. */
  askToQuit(): boolean {
    let held = false
    this.emit('before-quit', { preventDefault: () => (held = true) })
    return held
  }
}

function watch(app: AppLike, steps: Partial<QuitSteps>): { isQuitting: () => boolean; seen: string[] } {
  const seen: string[] = []
  const isQuitting = stopBeforeQuit(app as never, {
    hide: () => seen.push('hide'),
    stop: (graceMs) => Promise.resolve(void seen.push(`stop ${graceMs}`)),
    onFault: (error) => seen.push(`fault ${String(error)}`),
    ...steps,
  })
  return { isQuitting, seen }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('quitting hides, stops the service once, and then leaves', async () => {
  const app = new AppLike()
  const { isQuitting, seen } = watch(app, {})
  expect(isQuitting()).toBe(false)
  expect(app.askToQuit()).toBe(true)
  expect(app.askToQuit()).toBe(true)
  expect(isQuitting()).toBe(true)
  await vi.runAllTimersAsync()
  expect(seen).toEqual(['hide', `stop ${stopGraceMs}`])
  expect(app.exits).toEqual([0])
})

test('a service that fails to stop is reported and does not keep the app alive', async () => {
  const app = new AppLike()
  const { seen } = watch(app, { stop: () => Promise.reject(new Error('no')) })
  app.askToQuit()
  await vi.runAllTimersAsync()
  expect(seen).toEqual(['hide', 'fault Error: no'])
  expect(app.exits).toEqual([0])
})

test('a service that never stops does not keep the app alive either', async () => {
  const app = new AppLike()
  watch(app, { stop: () => new Promise(() => undefined) })
  app.askToQuit()
  await vi.advanceTimersByTimeAsync(stopGraceMs)
  expect(app.exits).toEqual([])
  await vi.advanceTimersByTimeAsync(stopGraceMs)
  expect(app.exits).toEqual([1])
})
