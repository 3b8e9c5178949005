import { expect, test } from 'vitest'
import { createEngine, engineForAttempt } from './engine.ts'
import { takeOpen, leaveOpen } from './hand-over.ts'
import type { OpenResource } from './opened.ts'

function resource(): OpenResource & { closed: boolean } {
  const held = { closed: false, close: () => void (held.closed = true) }
  // only its end matters here
  return held as unknown as OpenResource & { closed: boolean }
}

test('attempts share connections, buffers and what hosts bear, each with its own limit and its own answers', () => {
  const shared = createEngine()
  const [one, two] = [engineForAttempt(shared), engineForAttempt(shared)]
  expect(one.slabs).toBe(two.slabs)
  expect(one.connections).toBe(two.connections)
  expect(one.hostLimits).toBe(two.hostLimits)
  one.limiter.setLimit(1)
  one.openLanes += 3
  one.ownPort = 80
  expect([two.limiter.readSize(), two.openLanes, two.ownPort]).toEqual([Infinity, 0, null])
  const asked = { url: 'http://host.test/', headers: [] }
  const left = resource()
  leaveOpen(one, asked, undefined, left)
  expect(takeOpen(two, asked, undefined)).toBeNull()
  one.closeAttempt()
  expect(left.closed).toBe(true)
  expect(takeOpen(one, asked, undefined)).toBeNull()
})
