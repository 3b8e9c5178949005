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

/** A piece that a free connection takes over from a lane: [start, end). */
export interface Cut<L extends LaneView> {
  readonly lane: L
  readonly start: number
  readonly end: number
}

/** Smallest piece that is worth a request of its own. */
export const smallestSplitBytes = 1024 * 1024
const alignment = 64 * 1024
/**
 * A lane that is through in less is left alone: a new connection would take as long to stand, and what the host
 * has sent beyond the cut by then is wasted.
 */
const shortestSplitSeconds = 0.3
/** A cut must bring the end of its lane forward to this share of the time it had left. */
const worthwhileShare = 0.85
/** A lane of less than this share of the usual speed is given up for a fresh connection. */
const slowFraction = 1 / 5

/** Seconds until a lane is through; what has not begun to flow is taken to be as fast as the others. */
function secondsLeft(lane: LaneView, typical: number): number {
  return (lane.end - lane.next) / Math.max(1, lane.bytesPerSecond || typical)
}

/** Mean speed of the lanes that flow, at least 1. */
export function typicalSpeed(lanes: readonly Pick<LaneView, 'bytesPerSecond'>[]): number {
  const flowing = lanes.filter((lane) => lane.bytesPerSecond > 0)
  if (flowing.length === 0) return 1
  return Math.max(1, flowing.reduce((sum, lane) => sum + lane.bytesPerSecond, 0) / flowing.length)
}

/** Far below the others with a good while to go: a fresh connection may reach a better server. */
export function isFarBehind(lane: LaneView, typical: number): boolean {
  return (
    lane.bytesPerSecond < typical * slowFraction &&
    (lane.end - lane.next) / Math.max(1, lane.bytesPerSecond) > 1
  )
}

/** What connections that are free are taken to be like, before they were seen at work. */
export interface FreeConnections {
  count: number
  bytesPerSecond: number
  /** from the request to the first byte */
  setUpSeconds: number
}

/** What a lane keeps when so many free connections help it, and how large the piece of each of those is. */
interface Division {
  readonly kept: number
  readonly piece: number
  /** until the last of them is through */
  readonly seconds: number
}

/** Divides what a lane has left so that it and its helpers are through together; null when pieces get too small. */
function divide(lane: LaneView, helpers: number, free: FreeConnections, typical: number): Division | null {
  const left = lane.end - lane.next
  const speed = lane.bytesPerSecond || typical
  const helperSpeed = Math.max(1, free.bytesPerSecond)
  const together = (left + helpers * helperSpeed * free.setUpSeconds) / (speed + helpers * helperSpeed)
  const fair = (left - together * speed) / helpers
  const piece = Math.max(smallestSplitBytes, Math.floor(fair / alignment) * alignment)
  const kept = left - helpers * piece
  if (kept < alignment) return null
  return { kept, piece, seconds: Math.max(kept / speed, free.setUpSeconds + piece / helperSpeed) }
}

/**
 * Where free connections should cut in: one after the other each helps the lane that would end last by measured
 * speed, and what a lane has left is divided among it and its helpers so that all are through together. Lanes that
 * are through in a moment count as helpers too: their pieces are left for them. Fewer cuts than free connections
 * where no piece would reach 1 MiB or little time would be won.
 */
export function chooseCuts<L extends LaneView>(lanes: readonly L[], free: FreeConnections): Cut<L>[] {
  const typical = Math.max(typicalSpeed(lanes), free.bytesPerSecond)
  const plans = lanes.map((lane) => {
    const seconds = secondsLeft(lane, typical)
    const open = seconds >= shortestSplitSeconds
    return { lane, helpers: 0, seconds, division: null as Division | null, open }
  })
  const soonFree = plans.filter(({ open }) => !open).length
  for (let given = 0; given < free.count + soonFree;) {
    const longest = plans.reduce<(typeof plans)[number] | null>(
      (last, plan) => (plan.open && plan.seconds > (last?.seconds ?? 0) ? plan : last),
      null,
    )
    if (longest === null) break
    const division = divide(longest.lane, longest.helpers + 1, free, typical)
    if (division === null || division.seconds > longest.seconds * worthwhileShare) {
      longest.open = false
      continue
    }
    longest.division = division
    longest.helpers += 1
    longest.seconds = division.seconds
    given += 1
  }
  // The last piece of each lane goes first: what is left of it stays in one piece for those that come later.
  const ranked = plans.flatMap(({ lane, helpers, division }) => {
    const piece = division?.piece ?? 0
    return Array.from({ length: helpers }, (_, rank) => {
      const end = lane.end - rank * piece
      return { rank, cut: { lane, start: end - piece, end } }
    })
  })
  ranked.sort((a, b) => a.rank - b.rank)
  return ranked.slice(0, free.count).map(({ cut }) => cut)
}

/**
 * The lane whose tail a free connection should ask for again: too small to split, yet so slow that a second
 * request would be through in less than half its time.
 */
export function chooseTail<L extends LaneView>(
  lanes: readonly L[],
  { bytesPerSecond, setUpSeconds }: FreeConnections,
): L | null {
  const typical = Math.max(typicalSpeed(lanes), bytesPerSecond)
  let chosen: L | null = null
  let longest = 0
  for (const lane of lanes) {
    const seconds = secondsLeft(lane, typical)
    const again = (lane.end - lane.next) / Math.max(1, bytesPerSecond) + setUpSeconds
    if (lane.end > lane.next && seconds > 2 * again && seconds > longest) {
      longest = seconds
      chosen = lane
    }
  }
  return chosen
}
