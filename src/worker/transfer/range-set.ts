/** Sets of byte ranges [start, end): ascending, never touching. Immutable, since checkpoints keep them. */

export type ByteRange = readonly [start: number, end: number]
export type RangeSet = readonly ByteRange[]

/** The set with the range added. */
export function addRange(set: RangeSet, start: number, end: number): RangeSet {
  if (start >= end) return set
  const before = set.filter((range) => range[1] < start)
  const after = set.filter((range) => range[0] > end)
  const touching = set.slice(before.length, set.length - after.length)
  const first = Math.min(start, touching[0]?.[0] ?? start)
  const last = Math.max(end, touching.at(-1)?.[1] ?? end)
  return [...before, [first, last], ...after]
}

/** What of [start, end) is not in the set. */
export function missingRanges(set: RangeSet, start: number, end: number): RangeSet {
  const missing: ByteRange[] = []
  let at = start
  for (const [from, to] of set) {
    if (to <= at) continue
    if (from >= end) break
    if (from > at) missing.push([at, from])
    at = to
  }
  if (at < end) missing.push([at, end])
  return missing
}

/** The set without anything at or beyond `end`. */
export function clipRanges(set: RangeSet, end: number): RangeSet {
  return set.flatMap(([from, to]): ByteRange[] => (from >= end ? [] : [[from, Math.min(to, end)]]))
}

/** Sum of the lengths. */
export function totalBytes(set: RangeSet): number {
  return set.reduce((sum, [from, to]) => sum + to - from, 0)
}

/** Whether [start, end) lies within the set. */
export function coversRange(set: RangeSet, start: number, end: number): boolean {
  return start >= end || set.some(([from, to]) => from <= start && end <= to)
}
