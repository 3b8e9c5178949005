import { beforeEach, expect, test } from 'vitest'
import { VolumeRoom } from './volume-room.ts'

const GiB = 1024 ** 3
let volume: { freeBytes: number; looks: number }
let now: number
let room: VolumeRoom

beforeEach(() => {
  now = 0
  volume = { freeBytes: 2 * GiB, looks: 0 }
  const look = () => {
    volume.looks++
    return Promise.resolve(volume.freeBytes)
  }
  room = new VolumeRoom(() => now, look)
})

test('of small files beside each other one look in a second is enough while there is plenty', async () => {
  for (let file = 0; file < 100; file++) await room.free(`/to/w${file}`, 20_000)
  expect(volume.looks).toBe(1)
  now = 1000
  volume.freeBytes = 7
  expect(await room.free('/to/w', 20_000)).toBe(7)
})

test('a large file, another folder, and a volume without plenty are looked at each time', async () => {
  await room.free('/to/a', 1)
  await room.free('/to/b', 1024 * 1024 + 1)
  await room.free('/to/sub/c', 1)
  expect(volume.looks).toBe(3)
  volume.freeBytes = GiB - 1
  now = 1000
  for (let file = 0; file < 3; file++) await room.free('/to/d', 1)
  expect(volume.looks).toBe(6)
})

test('what was promised since the last look is not there any more', async () => {
  volume.freeBytes = GiB + 3 * 1024 * 1024
  for (let file = 0; file < 4; file++) await room.free('/to/w', 1024 * 1024)
  expect(volume.looks).toBe(2)
})
