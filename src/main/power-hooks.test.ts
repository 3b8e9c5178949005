import { expect, test } from 'vitest'
import { powerHooks, powerProgram } from './power-hooks.ts'

test('every desktop can quit, and sleep and shut down where the system has a program for it', async () => {
  let quits = 0
  const app = { quit: () => quits++ }
  expect(Object.keys(powerHooks(app, 'freebsd'))).toEqual(['quit'])
  for (const platform of ['linux', 'darwin', 'win32']) {
    expect(Object.keys(powerHooks(app, platform))).toEqual(['quit', 'sleep', 'shut-down'])
    expect(powerProgram(platform, 'sleep')).not.toEqual(powerProgram(platform, 'shut-down'))
  }
  await powerHooks(app, 'linux').quit?.()
  expect(quits).toBe(1)
})
