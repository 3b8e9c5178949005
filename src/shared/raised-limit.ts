/** What becomes of the connections of a host that refused more: both sides of the worker protocol go by it. */

const raisedEachMs = 3_600_000

/**
 * One more is tried for each whole hour since the refusal. It may have been of that hour, and a host that means it
 * refuses one connection an hour: the others go on, and the count begins again.
 * @param connections that the host bore when it refused more
 */
export function raisedLimit(connections: number, elapsedMs: number): number {
  return connections + Math.max(0, Math.floor(elapsedMs / raisedEachMs))
}
