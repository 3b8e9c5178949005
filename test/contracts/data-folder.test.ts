import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDataFolder } from '../../src/adapters/data-folder.ts'

describe('the lock of a data folder', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-lock-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is refused to a second holder, who is told the first one, and is free when released', () => {
    const lock = lockDataFolder(folder)
    expect(() => lockDataFolder(folder)).toThrow(
      expect.objectContaining({ code: 'CONFLICT', details: { pid: String(process.pid) } }),
    )
    lock.release()
    lockDataFolder(folder).release()
  })

  it('is free at once after its holder was killed', async () => {
    const holder = fork(join(import.meta.dirname, 'lock-holder.ts'), [folder])
    await once(holder, 'message')
    expect(() => lockDataFolder(folder)).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    lockDataFolder(folder).release()
  })
})
