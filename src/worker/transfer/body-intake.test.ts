import { expect, it } from 'vitest'
import { BodyIntake } from './body-intake.ts'
import type { BodySink } from './body-sink.ts'
import { slabBytes, SlabPool } from './slab-pool.ts'

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
const sink: BodySink = { slabBytes, data: () => true, ended: () => undefined }

/** An intake that was given full slabs until it waited, or for a second; and how often it was let go on. */
function busyIntake() {
  const goneOn = { times: 0 }
  const intake = new BodyIntake(new SlabPool(), sink, null, () => {
    goneOn.times++
  })
  const giveUpAt = performance.now() + 1000
  while (!intake.waits && performance.now() < giveUpAt) {
    intake.add(intake.bytes.length - intake.position)
    intake.passOn()
  }
  return { intake, goneOn }
}

it('a host that always has more to send waits for the next turn of the loop', async () => {
  const { intake, goneOn } = busyIntake()
  expect([intake.waits, goneOn.times]).toEqual([true, 0])
  await endOfTurn()
  expect([intake.waits, goneOn.times]).toEqual([false, 1])
})

it('a body that has ended meanwhile is not read on', async () => {
  const { intake, goneOn } = busyIntake()
  expect(intake.waits).toBe(true)
  intake.close()
  await endOfTurn()
  expect([intake.waits, goneOn.times]).toEqual([false, 0])
})
