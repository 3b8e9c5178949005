import { expect, it } from 'vitest'
import { LaneWatch } from './lane-watch.ts'
import type { OpenResource } from './opened.ts'

const timings = { tickMs: 25, stallMs: 20_000 }
const MiB = 1024 * 1024

/** A lane with an answer that flows at this speed. */
function lane(bytesPerSecond: number, openedAt = 0) {
  return {
    next: MiB,
    end: 100 * MiB,
    bytesPerSecond,
    openedAt,
    lastByteAt: openedAt,
    flows: true,
    isDuplicate: false,
    // only whether there is one matters here
    resource: {} as OpenResource | null,
    measure: () => undefined,
  }
}

it('gives up a lane whose host has been silent, but not one that waits for its answer', () => {
  const watch = new LaneWatch(0, timings)
  expect(watch.judge(lane(0), 20_000)).toBeNull()
  expect(watch.judge(lane(0), 20_001)).toBe('silent')
  expect(watch.judge({ ...lane(0), resource: null }, 60_000)).toBeNull()
})

it('does not take for silence of the host that the machine was asleep', () => {
  const watch = new LaneWatch(0, timings)
  const waiting = lane(0)
  watch.measure([waiting], 3_600_000)
  expect(watch.judge(waiting, 3_600_000)).toBeNull()
  for (let nowMs = 3_600_025; nowMs <= 3_620_000; nowMs += 25) watch.measure([waiting], nowMs)
  expect(watch.judge(waiting, 3_620_000)).toBeNull()
  watch.measure([waiting], 3_620_025)
  expect(watch.judge(waiting, 3_620_025)).toBe('silent')
})

it('gives up one that is far behind at least two others, after a while, and the next one a moment later', () => {
  const [slow, fast] = [lane(MiB / 8, 8_000), lane(4 * MiB, 8_000)]
  const watch = new LaneWatch(10_000, timings)
  watch.measure([slow, fast], 10_000)
  expect(watch.judge(slow, 10_000)).toBeNull()
  watch.measure([slow, fast, fast], 10_000)
  expect(watch.judge(fast, 10_000)).toBeNull()
  expect(watch.judge({ ...slow, openedAt: 9_000 }, 10_000)).toBeNull()
  expect(watch.judge({ ...slow, isDuplicate: true }, 10_000)).toBeNull()
  expect(watch.judge({ ...slow, end: null }, 10_000)).toBeNull()
  expect(watch.judge(slow, 10_000)).toBe('behind')
  expect(watch.judge(slow, 10_249)).toBeNull()
  expect(watch.judge(slow, 10_250)).toBe('behind')
})
