/** What a worker has learnt of hosts since it last told: how many connections they bear. */
export interface HostNews {
  /** `host` or `host:port` */
  host: string
  connections: number
}

/** @param limits by origin, as the engine keeps them */
export function hostNews(limits: ReadonlyMap<string, number>): () => HostNews[] {
  const told = new Map<string, number>()
  return () =>
    [...limits].flatMap(([origin, connections]) => {
      if (told.get(origin) === connections) return []
      told.set(origin, connections)
      return [{ host: new URL(origin).host, connections }]
    })
}
