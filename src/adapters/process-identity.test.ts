import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { startTimeOf } from './process-identity.ts'

describe('the start time that makes a pid name one process', () => {
  it('is the same each time, differs between processes and ends with the process', async () => {
    const own = await startTimeOf(process.pid)
    expect(own).not.toBeNull()
    expect(await startTimeOf(process.pid)).toBe(own)

    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    await once(child, 'spawn')
    const pid = child.pid ?? 0
    const started = await startTimeOf(pid)
    expect(started).not.toBeNull()
    expect(started).not.toBe(own)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await startTimeOf(pid)).toBeNull()
  })

  it('is told of no process for a pid that is free', async () => {
    expect(await startTimeOf(2 ** 22 + 1)).toBeNull()
  })

  it.runIf(process.platform === 'linux')('names the boot, since ticks repeat after a restart', async () => {
    expect(await startTimeOf(process.pid)).toMatch(/^[0-9a-f-]{36}:\d+$/)
  })
})
