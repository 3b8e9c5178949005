import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDataFolder } from '../../src/adapters/data-folder.ts'

describe('the lock of a data folder', () => {
  let folder: string
  let holders: ChildProcess[]

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-lock-'))
    holders = []
  })
  afterEach(async () => {
    for (const holder of holders) holder.kill('SIGKILL')
    await rm(folder, { recursive: true })
  })

  /** A process that tries to take the lock and, when it gets it, holds it. */
  async function startHolder(): Promise<{ process: ChildProcess; answer: unknown }> {
    const holder = fork(join(import.meta.dirname, 'lock-holder.ts'), [folder])
    holders.push(holder)
    const [answer] = (await once(holder, 'message')) as [unknown]
    return { process: holder, answer }
  }

  async function kill(holder: ChildProcess): Promise<void> {
    holder.kill('SIGKILL')
    await once(holder, 'exit')
  }

  it('is refused to a second holder, who is told the first one, and is free when released', () => {
    const lock = lockDataFolder(folder)
    const refused = expect.objectContaining({
      code: 'CONFLICT',
      details: { folder, pid: process.pid },
    }) as unknown
    expect(() => lockDataFolder(folder)).toThrow(refused)
    lock.release()
    lock.release()
    lockDataFolder(folder).release()
  })

  it('F55: is free at once after its holder was killed, and never before', async () => {
    const first = await startHolder()
    expect(first.answer).toBe('locked')
    expect((await startHolder()).answer).toBe('CONFLICT')
    await kill(first.process)
    expect((await startHolder()).answer).toBe('locked')
  })

  it('F55: of many that start at once exactly one gets it', async () => {
    const starters = await Promise.all(Array.from({ length: 4 }, () => startHolder()))
    expect(starters.map((starter) => starter.answer).sort()).toEqual([
      'CONFLICT',
      'CONFLICT',
      'CONFLICT',
      'locked',
    ])
  })

  it('is not lost to a lock file that a power cut filled with rubbish', async () => {
    await writeFile(join(folder, 'lock.db'), 'rubbish '.repeat(600))
    expect((await startHolder()).answer).toBe('locked')
    expect((await startHolder()).answer).toBe('CONFLICT')
  })

  it('says that a folder cannot be written', async () => {
    await writeFile(join(folder, 'file'), '')
    expect(() => lockDataFolder(join(folder, 'file', 'below'))).toThrow(
      expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }) as Error,
    )
  })
})
