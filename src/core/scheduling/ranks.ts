/** Hands out queue ranks before the first and behind the last waiting task, never one twice. */
export class Ranks {
  #head = 0
  #tail = 0

  /** Takes note of a rank that is in use. */
  seen(rank: number): void {
    this.#head = Math.min(this.#head, rank)
    this.#tail = Math.max(this.#tail, rank)
  }

  head(): number {
    this.#head = Math.floor(this.#head) - 1
    return this.#head
  }

  tail(): number {
    this.#tail = Math.ceil(this.#tail) + 1
    return this.#tail
  }
}

/**
 * `count` ranks between two neighbours, ascending; null when the gap is too small for them, so that the whole
 * queue has to be numbered again. A missing neighbour is the end of the queue.
 */
export function ranksBetween(before: number | null, after: number | null, count: number): number[] | null {
  if (before === null && after === null) return Array.from({ length: count }, (_, index) => index + 1)
  if (before === null) return Array.from({ length: count }, (_, index) => (after ?? 0) - count + index)
  if (after === null) return Array.from({ length: count }, (_, index) => before + index + 1)
  const step = (after - before) / (count + 1)
  if (step < 1e-9 * Math.max(1, Math.abs(before), Math.abs(after))) return null
  return Array.from({ length: count }, (_, index) => before + step * (index + 1))
}
