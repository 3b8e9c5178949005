/** Which running tasks give their slot back when there are more than the limit. */
export interface Running {
  readonly id: string
  /** fencing token: the higher, the more recently started */
  readonly token: number
  /** no running step of it would lose work by stopping */
  readonly preemptible: boolean
  /** already being stopped, for whatever reason */
  readonly stopping: boolean
  /** started over the limit: not counted and never a victim */
  readonly overLimit: boolean
}

/**
 * The victims, most recently started first. Tasks that must not be stopped are skipped and the next older one
 * is taken instead; when there are not enough, the limit stays exceeded until one of them ends.
 */
export function victims(running: readonly Running[], limit: number): string[] {
  const counted = running.filter((task) => !task.overLimit)
  const going = counted.filter((task) => !task.stopping)
  const excess = counted.length - (counted.length - going.length) - limit
  if (excess <= 0) return []
  return going
    .filter((task) => task.preemptible)
    .toSorted((a, b) => b.token - a.token)
    .slice(0, excess)
    .map((task) => task.id)
}
