import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FolderSyncs } from './folder-syncs.ts'

function heldSyncs() {
  const begun: { folder: string; end: PromiseWithResolvers<undefined> }[] = []
  const syncs = new FolderSyncs((folder) => {
    const end = Promise.withResolvers<undefined>()
    begun.push({ folder, end })
    return end.promise
  })
  return { syncs, begun }
}

test('those who ask in one turn share a sync of their folder, which begins after all of them', async () => {
  const { syncs, begun } = heldSyncs()
  const together = [syncs.run('/a'), syncs.run('/a'), syncs.run('/b')]
  expect(begun).toEqual([])
  await turn()
  expect(begun.map(({ folder }) => folder)).toEqual(['/a', '/b'])
  const later = [syncs.run('/a'), syncs.run('/a')]
  for (const { end } of begun) end.resolve(undefined)
  await Promise.all(together)
  await turn()
  expect(begun.map(({ folder }) => folder)).toEqual(['/a', '/b', '/a'])
  begun[2]?.end.reject(new Error('no'))
  expect((await Promise.allSettled(later)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
