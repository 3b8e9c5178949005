import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { distrustedPace } from '../../../test/engine/distrusted-pace.ts'
import { PartialFile } from './partial-file.ts'
import { VolumeRoom } from './volume-room.ts'
import { WritePace } from './write-pace.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-partial-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Cuts of [0, length) into pieces, in an order of their own. */
const piecesOf = (length: number) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: length - 1 }), { maxLength: 30 })
    .map((cuts) => [0, ...cuts.toSorted((a, b) => a - b), length])
    .map((ends) => ends.slice(1).map((end, index): [number, number] => [ends[index] ?? 0, end]))
    .chain((pieces) => fc.shuffledSubarray(pieces, { minLength: pieces.length }))

test('pieces asked for at once, in any order, all come where they belong', async () => {
  const source = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7 + (index >> 8)) % 256))
  let run = 0
  await fc.assert(
    fc.asyncProperty(piecesOf(source.length), fc.boolean(), async (pieces, byThreads) => {
      const pace = byThreads ? distrustedPace() : new WritePace()
      const file = await PartialFile.create(join(folder, String(run++)), pace)
      const turns = pieces.map(([start, end]) => file.write(source, start, end, start))
      expect(file.inFlight).toBe(byThreads ? source.length : 0)
      await Promise.all(turns)
      expect(file.inFlight).toBe(0)
      expect(file.written).toEqual([[0, source.length]])
      await file.finish(source.length)
      expect(file.durable).toEqual([[0, source.length]])
      await file.close()
      expect((await readFile(file.path)).equals(source)).toBe(true)
    }),
  )
})

test('no byte counts as being there from the beginning while a write below it is under way', async () => {
  const file = await PartialFile.create(join(folder, 'f'), distrustedPace())
  const bytes = Buffer.alloc(300)
  const first = file.write(bytes, 0, 100, 0)
  const others = [file.write(bytes, 0, 100, 200), file.write(bytes, 0, 100, 100)]
  expect(file.front).toBe(0)
  await first
  expect(file.front).toBe(100)
  await Promise.all(others)
  expect(file.front).toBe(300)
  await file.close()
})

test('only a file that may come out of order has its length from the beginning', async () => {
  const room = new VolumeRoom()
  for (const [length, before] of [
    [1024 * 1024, 0],
    [1024 * 1024 + 1, 1024 * 1024 + 1],
  ] as const) {
    const file = await PartialFile.create(join(folder, String(length)))
    await file.reserve(length, room)
    expect((await stat(file.path)).size).toBe(before)
    await file.write(Buffer.from('x'), 0, 1, 0)
    await file.finish(length)
    expect((await stat(file.path)).size).toBe(length)
    await file.close()
  }
})
