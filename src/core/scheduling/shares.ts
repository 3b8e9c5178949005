/** How connections per host and the global speed limit are divided among running attempts. */

/** Connections for each of `attempts` on one host: an equal share of the host's limit, at least one. */
export function connectionShare(perHost: number, wanted: number, attempts: number): number {
  return Math.max(1, Math.min(wanted, Math.floor(perHost / Math.max(1, attempts))))
}

export interface Demand {
  readonly id: string
  /** the task's own limit, null for none */
  readonly ownLimit: number | null
  /** measured bytes per second */
  readonly measured: number
}

/**
 * Bytes per second for each attempt. Those that take less than their equal share keep a little more than they
 * use, and the rest is divided among the others; the sum never exceeds the limit. Without a global limit
 * (0) only the own ones count.
 */
export function bandwidthShares(limit: number, demands: readonly Demand[]): Map<string, number | null> {
  const shares = new Map<string, number | null>()
  if (limit === 0) {
    for (const demand of demands) shares.set(demand.id, demand.ownLimit)
    return shares
  }
  const ceiling = (demand: Demand) => {
    // Room to grow: an attempt that has just begun must be able to show what it could use.
    const grown = Math.max(demand.measured * 1.25, limit / (demands.length * 4))
    return demand.ownLimit === null ? grown : Math.min(grown, demand.ownLimit)
  }
  let left = limit
  let open = demands.toSorted((a, b) => ceiling(a) - ceiling(b))
  while (open.length > 0) {
    const [least, ...others] = open
    if (least === undefined) break
    const equal = left / open.length
    if (ceiling(least) >= equal) break
    shares.set(least.id, ceiling(least))
    left -= ceiling(least)
    open = others
  }
  for (const demand of open) {
    const equal = left / open.length
    shares.set(demand.id, demand.ownLimit === null ? equal : Math.min(equal, demand.ownLimit))
  }
  // Nobody uses his share: what is left is room for whoever needs it first.
  const spare = open.length > 0 ? 0 : left / demands.length
  for (const demand of demands) {
    const share = (shares.get(demand.id) ?? 0) + spare
    shares.set(demand.id, demand.ownLimit === null ? share : Math.min(share, demand.ownLimit))
  }
  return shares
}
