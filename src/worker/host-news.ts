import type { LearntLimits, Refusal } from './transfer/learnt-limits.ts'

/** What a worker has learnt of hosts since it last told: how many connections they bear. */
export interface HostNews {
  /** `host` or `host:port` */
  host: string
  connections: number
}

export function hostNews(limits: Pick<LearntLimits, 'refusals'>): () => HostNews[] {
  const told = new Map<string, Refusal>()
  return () =>
    [...limits.refusals].flatMap(([origin, refusal]) => {
      if (told.get(origin) === refusal) return []
      told.set(origin, refusal)
      return [{ host: new URL(origin).host, connections: refusal.connections }]
    })
}
