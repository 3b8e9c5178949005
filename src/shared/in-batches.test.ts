import { expect, test } from 'vitest'
import { inBatches } from './in-batches.ts'

test('what is sent in one turn is one batch, in order; the next turn begins another', () => {
  const batches: number[][] = []
  const ends: (() => void)[] = []
  const send = inBatches<number>(
    (batch) => batches.push(batch),
    (end) => ends.push(end),
  )
  send(1)
  send(2)
  expect(batches).toEqual([])
  ends.shift()?.()
  send(3)
  expect(ends).toHaveLength(1)
  ends.shift()?.()
  expect(batches).toEqual([[1, 2], [3]])
})
