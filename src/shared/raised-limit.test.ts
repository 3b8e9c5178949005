import { expect, test } from 'vitest'
import { raisedLimit } from './raised-limit.ts'

const hour = 3_600_000

test.each([
  [0, 2],
  [hour - 1, 2],
  [hour, 3],
  [5.5 * hour, 7],
  // the clock was set back
  [-hour, 2],
])('%d ms after a refusal at two connections there may be %d', (elapsedMs, connections) => {
  expect(raisedLimit(2, elapsedMs)).toBe(connections)
})
