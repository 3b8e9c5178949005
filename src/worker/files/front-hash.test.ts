import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FrontHash } from './front-hash.ts'

const mebibyte = 1024 * 1024
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-hash-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('the checksum behind the front', () => {
  it('is that of the whole file, however it grew', async () => {
    const content = randomBytes(20 * mebibyte)
    const path = join(folder, 'f')
    const file = await open(path, 'w')
    const hash = new FrontHash(path, 'sha256')
    for (let at = 0; at < content.length; at += 3 * mebibyte) {
      const end = Math.min(content.length, at + 3 * mebibyte)
      await file.write(content, at, end - at, at)
      hash.advance(end)
    }
    expect(hash.told).toBeGreaterThan(8 * mebibyte)
    expect(await hash.finish(content.length)).toBe(createHash('sha256').update(content).digest('hex'))
    await file.close()
  })

  it('is nothing where the file is shorter than was said, gone, or the thread was stopped', async () => {
    const path = join(folder, 'f')
    const file = await open(path, 'w')
    await file.write(Buffer.alloc(1000))
    expect(await new FrontHash(path, 'md5').finish(2000)).toBeNull()
    expect(await new FrontHash(join(folder, 'none'), 'md5').finish(1)).toBeNull()
    const stopped = new FrontHash(path, 'md5')
    stopped.stop()
    expect(await stopped.finish(1000)).toBeNull()
    await file.close()
  })
})
