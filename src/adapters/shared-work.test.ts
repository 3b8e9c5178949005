import { expect, test } from 'vitest'
import { SharedWork } from './shared-work.ts'

/** Work that ends when the test says so; what was begun is noted. */
function heldWork() {
  const begun: { key: string; run: PromiseWithResolvers<number> }[] = []
  const work = new SharedWork((key) => {
    const run = Promise.withResolvers<number>()
    begun.push({ key, run })
    return run.promise
  })
  return { work, begun }
}

test('those who come while it runs share the next run, which begins after them', async () => {
  const { work, begun } = heldWork()
  const first = work.run('a')
  const later = [work.run('a'), work.run('a')]
  expect(begun).toHaveLength(1)
  begun[0]?.run.resolve(1)
  expect(await first).toBe(1)
  await Promise.resolve()
  expect(begun).toHaveLength(2)
  begun[1]?.run.resolve(2)
  expect(await Promise.all(later)).toEqual([2, 2])
  void work.run('a')
  expect(begun).toHaveLength(3)
})

test('keys have nothing to do with each other, and a failure is only of those who shared it', async () => {
  const { work, begun } = heldWork()
  const failing = work.run('a')
  const other = work.run('b')
  const next = work.run('a')
  expect(begun.map(({ key }) => key)).toEqual(['a', 'b'])
  begun[0]?.run.reject(new Error('of the first'))
  await expect(failing).rejects.toThrow('of the first')
  begun[1]?.run.resolve(5)
  expect(await other).toBe(5)
  begun[2]?.run.resolve(6)
  expect(await next).toBe(6)
})
