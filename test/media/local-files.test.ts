import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Input, ALL_FORMATS, EncodedPacketSink } from 'mediabunny'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isCutOff } from '../../src/worker/media/cut-off.ts'
import { OutputFile } from '../../src/worker/media/output-file.ts'
import { SyncAhead } from '../../src/worker/media/sync-ahead.ts'
import { openTrackSource, WindowedFile } from '../../src/worker/media/track-source.ts'

const media = join(import.meta.dirname, 'files')

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-files-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function withHandle<T>(
  path: string,
  flags: string,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(path, flags)
  try {
    return await use(handle)
  } finally {
    await handle.close()
  }
}

describe('the file that a muxer writes to', () => {
  it('holds what was written where it was written, whatever the order', async () => {
    const piece = fc.record({
      /** bytes from the end of the last piece; negative goes back */
      step: fc.oneof(
        fc.constant(0),
        fc.integer({ min: -64, max: 64 }),
        fc.integer({ min: -3_000_000, max: 50_000 }),
      ),
      length: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1_500_000 })),
      fill: fc.integer({ min: 1, max: 255 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 12 }), async (pieces) => {
        const path = join(folder, 'out')
        const expected = Buffer.alloc(24_000_000)
        let [at, end] = [0, 0]
        await withHandle(path, 'w', async (handle) => {
          const target = new OutputFile(handle)
          target._start()
          for (const { step, length, fill } of pieces) {
            at = Math.max(0, at + step)
            target._write(new Uint8Array(length).fill(fill), at)
            expected.fill(fill, at, at + length)
            at += length
            end = Math.max(end, at)
            await target._flush()
          }
          await target._finalize()
        })
        expect((await readFile(path)).equals(expected.subarray(0, end))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('tells the failure of the disk at the next flush', async () => {
    await writeFile(join(folder, 'out'), '')
    await withHandle(join(folder, 'out'), 'r', async (handle) => {
      const target = new OutputFile(handle)
      target._write(new Uint8Array(2 << 20), 0)
      await expect(target._finalize()).rejects.toMatchObject({ code: 'EBADF' })
    })
  })
})

describe('a file that is synced while it grows', () => {
  afterEach(() => vi.useRealTimers())

  it('may come late, and is let go at the end', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const path = join(folder, 'growing')
    const ahead = new SyncAhead(path)
    vi.advanceTimersToNextTimer()
    await withHandle(path, 'wx', async (handle) => {
      const piece = Buffer.alloc(8 << 20, 1)
      for (let written = 0; written < 10; written++) {
        const writing = handle.write(piece)
        vi.advanceTimersToNextTimer()
        await writing
      }
    })
    await ahead.stop()
    expect((await readFile(path)).length).toBe(80 << 20)
  })

  it('is fine when it never comes', async () => {
    await expect(new SyncAhead(join(folder, 'never')).stop()).resolves.toBeUndefined()
  })

  it('tells a failure of the drive when it ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const ahead = new SyncAhead(folder)
    vi.advanceTimersToNextTimer()
    await expect(ahead.stop()).rejects.toMatchObject({ code: 'EISDIR' })
  })
})

describe('a track as it is read', () => {
  it('gives the bytes of the file for any order of reads, also several at once', async () => {
    const content = Buffer.alloc(4_500_000)
    for (let at = 0; at + 4 <= content.length; at += 4) content.writeUInt32BE(at, at)
    await writeFile(join(folder, 'track'), content)
    const read = fc
      .tuple(fc.integer({ min: 0, max: content.length - 1 }), fc.integer({ min: 1, max: 1_800_000 }))
      .map(([start, length]) => [start, Math.min(content.length, start + length)] as const)
    await fc.assert(
      fc.asyncProperty(fc.array(read, { maxLength: 8 }), fc.boolean(), async (reads, together) => {
        await withHandle(join(folder, 'track'), 'r', async (handle) => {
          const file = new WindowedFile(handle, content.length)
          const check = async ([start, end]: readonly [number, number]) => {
            // what is answered at once is good until the next read: compared before anything else happens
            const answer = file.read(start, end)
            const bytes = answer instanceof Uint8Array ? Uint8Array.from(answer) : await answer
            expect(content.subarray(start, end).equals(bytes)).toBe(true)
          }
          if (together) await Promise.all(reads.map(check))
          else for (const one of reads) await check(one)
          // in order, as a muxer reads
          for (let at = 0; at < content.length; at += 70_001)
            await check([at, Math.min(content.length, at + 70_001)])
        })
      }),
      { numRuns: 40 },
    )
  })

  it('is an error, not zeros, when the file became shorter meanwhile', async () => {
    const path = join(folder, 'track')
    await writeFile(path, Buffer.alloc(3_000_000, 1))
    await withHandle(path, 'r', async (handle) => {
      const file = new WindowedFile(handle, 3_000_000)
      await withHandle(path, 'r+', (other) => other.truncate(2_000_000))
      await expect(file.read(2_500_000, 2_600_000)).rejects.toMatchObject({ code: 'MUX_ERROR' })
    })
  })

  it('feeds mediabunny', async () => {
    const input = new Input({
      formats: ALL_FORMATS,
      source: await openTrackSource(join(media, 'video.mp4')),
    })
    const track = await input.getPrimaryVideoTrack()
    if (track === null) throw new Error('no video')
    let packets = 0
    for await (const packet of new EncodedPacketSink(track).packets())
      packets += packet.byteLength > 0 ? 1 : 0
    expect(packets).toBe(100)
    input.dispose()
  })
})

describe('a media file that was cut off', () => {
  const isCutAt = async (bytes: Buffer): Promise<boolean> => {
    await writeFile(join(folder, 'cut'), bytes)
    return withHandle(join(folder, 'cut'), 'r', isCutOff)
  }

  it.each(['video.mp4', 'audio.m4a', 'video.webm', 'audio.webm'])('%s: whole is whole', async (name) => {
    expect(await isCutAt(await readFile(join(media, name)))).toBe(false)
  })

  it.each(['video.webm', 'audio.webm'])('%s: a cut anywhere behind the head is told', async (name) => {
    const whole = await readFile(join(media, name))
    for (let length = 100; length < whole.length; length += 997) {
      expect(await isCutAt(whole.subarray(0, length))).toBe(true)
    }
  })

  it('mp4: a cut within a box is told, also of a box that is longer than 4 GiB', async () => {
    const whole = await readFile(join(media, 'video.mp4'))
    const boxes: number[] = []
    for (let at = 0; at < whole.length; at += whole.readUInt32BE(at)) {
      if (whole.readUInt32BE(at) > 12) boxes.push(at)
    }
    expect(boxes.length).toBeGreaterThan(2)
    for (const at of boxes) expect(await isCutAt(whole.subarray(0, at + 12))).toBe(true)
    const long = Buffer.alloc(16)
    long.writeUInt32BE(1, 0)
    long.write('mdat', 4, 'latin1')
    long.writeBigUInt64BE(5_000_000_000n, 8)
    expect(await isCutAt(Buffer.concat([whole, long, Buffer.alloc(1000)]))).toBe(true)
  })

  it('nothing is said of padding, of unknown kinds and of a last box without length', async () => {
    const whole = await readFile(join(media, 'video.mp4'))
    expect(await isCutAt(Buffer.concat([whole, Buffer.alloc(500)]))).toBe(false)
    expect(await isCutAt(Buffer.from('ID3 and then some sound'))).toBe(false)
    expect(await isCutAt(Buffer.alloc(0))).toBe(false)
    const circle = Buffer.alloc(64)
    circle.writeUInt32BE(1, 0)
    circle.write('free', 4, 'latin1')
    expect(await isCutAt(circle)).toBe(false)
    const open = Buffer.alloc(300)
    open.write('mdat', 4, 'latin1')
    expect(await isCutAt(Buffer.concat([whole, open]))).toBe(false)
  })

  it('never fails on rubbish', async () => {
    const start = fc.constantFrom(Buffer.from('1a45dfa3', 'hex'), Buffer.from('0000000866747970', 'hex'))
    await fc.assert(
      fc.asyncProperty(start, fc.uint8Array({ maxLength: 400 }), async (head, tail) => {
        expect(typeof (await isCutAt(Buffer.concat([head, tail])))).toBe('boolean')
      }),
      { numRuns: 300 },
    )
  })
})
