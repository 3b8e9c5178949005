import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { JointSyncs } from './joint-syncs.ts'

/** Syncs that end when the test says so; what was begun is noted. */
function heldSyncs() {
  const begun: { descriptor: number; end: PromiseWithResolvers<undefined> }[] = []
  const syncs = new JointSyncs((descriptor) => {
    const end = Promise.withResolvers<undefined>()
    begun.push({ descriptor, end })
    return end.promise
  })
  return { syncs, begun }
}

async function turns(): Promise<void> {
  for (let count = 0; count < 10; count++) await turn()
}

test('those that come together are synced together, and hear of it when all are', async () => {
  const { syncs, begun } = heldSyncs()
  const heard: number[] = []
  for (const descriptor of [1, 2]) void syncs.run(descriptor).then(() => heard.push(descriptor))
  await turn()
  void syncs.run(3).then(() => heard.push(3))
  await turns()
  expect(begun.map(({ descriptor }) => descriptor)).toEqual([1, 2, 3])
  begun[2]?.end.resolve(undefined)
  begun[0]?.end.resolve(undefined)
  await turns()
  expect(heard).toEqual([])
  begun[1]?.end.resolve(undefined)
  await turns()
  expect(heard).toEqual([1, 2, 3])
})

test('a failure is only of the one that it is of', async () => {
  const { syncs, begun } = heldSyncs()
  const first = syncs.run(1)
  const failing = syncs.run(2)
  await turns()
  begun[0]?.end.resolve(undefined)
  begun[1]?.end.reject(new Error('of the second'))
  await expect(failing).rejects.toThrow('of the second')
  expect(await first).toBeNull()
})

test('eight are enough for a round, and the next does not wait for its end', async () => {
  const { syncs, begun } = heldSyncs()
  for (let descriptor = 1; descriptor <= 9; descriptor++) void syncs.run(descriptor)
  expect(begun).toHaveLength(8)
  await turns()
  expect(begun).toHaveLength(9)
})
