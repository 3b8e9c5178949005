/** The waiting tasks in the order of their ranks. Kept sorted, so that a long queue costs little to look at. */
interface Place {
  id: string
  rank: number
}

export class WaitingQueue {
  readonly #places: Place[] = []
  readonly #ranks = new Map<string, number>()

  get size(): number {
    return this.#places.length
  }

  /** ids from the head to the tail */
  *ids(): Generator<string> {
    for (const place of this.#places) yield place.id
  }

  rankOf(id: string): number | null {
    return this.#ranks.get(id) ?? null
  }

  /** 1 is next; null when it does not wait */
  position(id: string): number | null {
    const rank = this.#ranks.get(id)
    return rank === undefined ? null : this.#indexOf(id, rank) + 1
  }

  at(index: number): string | undefined {
    return this.#places[index]?.id
  }

  /** Puts a task at its rank, takes it away with null. */
  place(id: string, rank: number | null): void {
    const held = this.#ranks.get(id)
    if (held === rank || (held === undefined && rank === null)) return
    if (held !== undefined) {
      this.#places.splice(this.#indexOf(id, held), 1)
      this.#ranks.delete(id)
    }
    if (rank === null) return
    this.#places.splice(this.#firstNotBefore(rank, id), 0, { id, rank })
    this.#ranks.set(id, rank)
  }

  #indexOf(id: string, rank: number): number {
    return this.#firstNotBefore(rank, id)
  }

  /** Equal ranks are ordered by id, so that the order is total. */
  #firstNotBefore(rank: number, id: string): number {
    let low = 0
    let high = this.#places.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const place = this.#places[middle]
      if (place === undefined) break
      if (place.rank < rank || (place.rank === rank && place.id < id)) low = middle + 1
      else high = middle
    }
    return low
  }
}
