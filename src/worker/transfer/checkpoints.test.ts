import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Checkpoint } from '../../shared/task/resource.ts'
import { PartialFile } from '../files/partial-file.ts'
import { Checkpoints } from './checkpoints.ts'
import type { KnownResource } from './first-open.ts'

let folder: string
let file: PartialFile
let told: Checkpoint[]
let checkpoints: Checkpoints

const known: KnownResource = {
  length: 100,
  validator: { kind: 'etag', value: '"x"' },
  toBeProved: false,
  finalUrl: 'http://h.test/f',
  resumable: true,
  checksum: null,
  askPlain: false,
  largestRequest: Number.POSITIVE_INFINITY,
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-checkpoints-'))
  file = await PartialFile.create(join(folder, 'f'))
  told = []
  checkpoints = new Checkpoints({
    fileName: 'f',
    atMostMs: 1000,
    report: (checkpoint) => told.push(checkpoint),
  })
  checkpoints.begin(0)
})
afterEach(async () => {
  await file.close()
  await rm(folder, { recursive: true })
})

const ranges = () => told.map((checkpoint) => (checkpoint.kind === 'ranges' ? checkpoint.ranges : null))

/** A transfer whose last bytes are written when it is told to flush. */
function transfer() {
  const stopped: unknown[] = []
  return {
    received: 50,
    flush: () => file.write(Buffer.alloc(20), 0, 20, 30).then(() => undefined),
    stop: (reason: unknown) => stopped.push(reason),
    stopped,
  }
}

it('name what is durable, not what is only written', async () => {
  await file.write(Buffer.alloc(30), 0, 30, 0)
  await checkpoints.record(file, known)
  await file.sync()
  await file.write(Buffer.alloc(20), 0, 20, 30)
  await checkpoints.record(file, known)
  expect(ranges()).toEqual([[], [[0, 30]]])
})

it('are made of all that arrived when they are due, one at a time', async () => {
  await file.write(Buffer.alloc(30), 0, 30, 0)
  checkpoints.follow(999, transfer(), file, known)
  checkpoints.follow(1000, transfer(), file, known)
  checkpoints.follow(9000, transfer(), file, known)
  await checkpoints.settle()
  expect(ranges()).toEqual([[[0, 50]]])
})

it('the last one names what can still be made durable', async () => {
  await file.write(Buffer.alloc(30), 0, 30, 0)
  expect(await checkpoints.last(file, known)).toMatchObject({ ranges: [[0, 30]], fronts: [{ end: 30 }] })
})

it('of a host without ranges name nothing, though all is durable', async () => {
  await file.write(Buffer.alloc(30), 0, 30, 0)
  await checkpoints.last(file, { ...known, resumable: false })
  expect(file.durable).toEqual([[0, 30]])
  expect(ranges()).toEqual([[]])
})

it('a drive that fails stops the transfer, and nothing is told', async () => {
  await file.write(Buffer.alloc(30), 0, 30, 0)
  await file.close()
  const running = { ...transfer(), flush: () => Promise.resolve() }
  checkpoints.follow(1000, running, file, known)
  await checkpoints.settle()
  expect(running.stopped).toMatchObject([{ advice: 'damaged' }])
  expect(told).toEqual([])
})
