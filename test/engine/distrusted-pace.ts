import { WritePace } from '../../src/worker/files/write-pace.ts'

/** The pace of a drive that was slow just now, for good: every write goes by threads. */
export function distrustedPace(): WritePace {
  let now = 0
  const pace = new WritePace(() => now)
  pace.onTheSpot(() => (now += 1000))
  return pace
}
