/** How work is divided among connections. Pure: positions and measured speeds come in, a decision goes out. */

/** A connection's work as far as splitting cares. */
export interface LaneView {
  /** next byte to arrive */
  readonly next: number
  /** exclusive */
  readonly end: number
  /** measured; 0 while nothing has arrived */
  readonly bytesPerSecond: number
}

/** Smallest piece that is worth a request of its own. */
export const smallestSplitBytes = 1024 * 1024
const alignment = 64 * 1024
/**
 * A lane that is through in less is left alone: a new connection would take as long to stand, and what the host
 * has sent beyond the cut by then is wasted.
 */
const shortestSplitSeconds = 0.3

/** Seconds until a lane is through; what has not begun to flow is taken to be as fast as the others. */
function secondsLeft(lane: LaneView, typical: number): number {
  return (lane.end - lane.next) / Math.max(1, lane.bytesPerSecond || typical)
}

/** Mean speed of the lanes that flow, at least 1. */
export function typicalSpeed(lanes: readonly LaneView[]): number {
  const flowing = lanes.filter((lane) => lane.bytesPerSecond > 0)
  if (flowing.length === 0) return 1
  return Math.max(1, flowing.reduce((sum, lane) => sum + lane.bytesPerSecond, 0) / flowing.length)
}

/**
 * Where a free connection of speed `freeSpeed` should cut in: into the lane that would end last by measured
 * speed, in proportion to both speeds, so that both end together. null when no piece would reach 1 MiB.
 */
export function chooseSplit<L extends LaneView>(
  lanes: readonly L[],
  freeSpeed: number,
): { lane: L; at: number } | null {
  const typical = Math.max(typicalSpeed(lanes), freeSpeed)
  let chosen: { lane: L; at: number } | null = null
  let longest = 0
  for (const lane of lanes) {
    const left = lane.end - lane.next
    const speed = lane.bytesPerSecond || typical
    const kept = (left * speed) / (speed + Math.max(1, freeSpeed))
    const at = Math.min(
      lane.end - smallestSplitBytes,
      lane.next + Math.max(alignment, Math.ceil(kept / alignment) * alignment),
    )
    const seconds = secondsLeft(lane, typical)
    if (at - lane.next < alignment || seconds < shortestSplitSeconds) continue
    if (seconds > longest) {
      longest = seconds
      chosen = { lane, at }
    }
  }
  return chosen
}

/**
 * The lane whose tail a free connection should ask for again: too small to split, yet so slow that a second
 * request would be through in less than half its time.
 */
export function chooseTail<L extends LaneView>(lanes: readonly L[], freeSpeed: number): L | null {
  const typical = Math.max(typicalSpeed(lanes), freeSpeed)
  const setUpSeconds = 0.05
  let chosen: L | null = null
  let longest = 0
  for (const lane of lanes) {
    const seconds = secondsLeft(lane, typical)
    const again = (lane.end - lane.next) / Math.max(1, freeSpeed) + setUpSeconds
    if (lane.end > lane.next && seconds > 2 * again && seconds > longest) {
      longest = seconds
      chosen = lane
    }
  }
  return chosen
}
