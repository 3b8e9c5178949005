/**
 * What the transfers of one worker process share: buffers, kept connections, what hosts were found to bear, and the
 * knobs that tests turn. Made once per worker by `createEngine`; the executors of an attempt get it with what is that
 * attempt's own (`engineForAttempt`).
 */
import { lookup as systemLookup } from 'node:dns/promises'
import type { AddressClassifier } from './address-rules.ts'
import { classifyAddress } from './address-rules.ts'
import { Authorities } from './authorities.ts'
import { ConnectionPool } from './connection-pool.ts'
import { Http2Sessions } from './http2-sessions.ts'
import { LearntLimits } from './learnt-limits.ts'
import type { OpenResource } from './opened.ts'
import { JointSyncs } from '../files/joint-syncs.ts'
import { VolumeRoom } from '../files/volume-room.ts'
import { WritePace } from '../files/write-pace.ts'
import { RateLimiter } from './rate-limit.ts'
import { SlabPool } from './slab-pool.ts'

/** Time limits in ms. */
export interface Timings {
  /** until TCP and TLS stand */
  connectMs: number
  /** head start of one address before the next one is tried beside it */
  staggerMs: number
  /** from the request to the end of the head */
  headMs: number
  /** without a byte before a connection is replaced */
  stallMs: number
  /** a kept connection without work */
  keepAliveMs: number
  /** an open answer that the resolve step left for the download step */
  handOverMs: number
  /** control loop of a download */
  tickMs: number
  checkpointMs: number
}

export const defaultTimings: Timings = {
  connectMs: 15_000,
  staggerMs: 250,
  headMs: 30_000,
  stallMs: 20_000,
  keepAliveMs: 4_000,
  handOverMs: 5_000,
  tickMs: 25,
  // with what a sync and a commit take, a kill costs two seconds at most
  checkpointMs: 1_600,
}

export interface EngineOptions {
  timings?: Partial<Timings>
  /** whether an address counts as public; tests declare a loopback one public */
  classify?: AddressClassifier
  /** addresses of a host name, in order of preference; rejects with an errno like the system's */
  lookup?: (host: string) => Promise<readonly string[]>
  /** PEM certificates of authorities that are trusted beside those that Node knows */
  certificates?: readonly string[]
  /** those of the system, asked for when a host needs them */
  systemCertificates?: () => readonly string[]
  /** environment that proxies are taken from */
  environment?: Readonly<Record<string, string | undefined>>
  /** [0, 1) */
  chance?: () => number
  /** whether file calls may be made on the spot; tests have them all go by threads */
  writePace?: WritePace
}

export interface Engine {
  readonly timings: Timings
  readonly classify: AddressClassifier
  readonly lookup: (host: string) => Promise<readonly string[]>
  readonly authorities: Authorities
  /** port on which the host itself listens on this machine, null when it does not */
  ownPort: number | null
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly chance: () => number
  readonly slabs: SlabPool
  readonly connections: ConnectionPool
  readonly http2: Http2Sessions
  /** open answers on their way from the resolve step to the download step, by `handOverKey` */
  readonly handOvers: Map<string, { resource: OpenResource; timer: NodeJS.Timeout }>
  readonly hostLimits: LearntLimits
  /** on the volumes that files are written to */
  readonly room: VolumeRoom
  readonly writePace: WritePace
  /** of small files */
  readonly syncs: JointSyncs
  /** speed limit of the attempt, over all its steps */
  readonly limiter: RateLimiter
  /** connections at work over all steps of the attempt: they share what was leased to it */
  openLanes: number
  /** Closes what the attempt left open for a step that did not come. */
  closeAttempt(): void
  /** Closes that and kept connections; running transfers are stopped by their own signals. */
  close(): void
}

async function lookupAll(host: string): Promise<string[]> {
  return (await systemLookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address)
}

/** What is an attempt's own: what was leased to it, and what one of its steps leaves for another. */
function ownParts(): Pick<Engine, 'ownPort' | 'handOvers' | 'limiter' | 'openLanes' | 'closeAttempt'> {
  const handOvers: Engine['handOvers'] = new Map()
  return {
    ownPort: null,
    handOvers,
    limiter: new RateLimiter(() => performance.now()),
    openLanes: 0,
    closeAttempt: () => {
      for (const { resource, timer } of handOvers.values()) {
        clearTimeout(timer)
        resource.close()
      }
      handOvers.clear()
    },
  }
}

/** The worker's engine for one more attempt. */
export function engineForAttempt(shared: Engine): Engine {
  return { ...shared, ...ownParts() }
}

/** One engine per worker process. */
export function createEngine(options: EngineOptions = {}): Engine {
  const timings = { ...defaultTimings, ...options.timings }
  const connections = new ConnectionPool(timings.keepAliveMs)
  const http2 = new Http2Sessions(timings.keepAliveMs)
  const own = ownParts()
  return {
    ...own,
    timings,
    classify: options.classify ?? classifyAddress,
    lookup: options.lookup ?? lookupAll,
    authorities: new Authorities(
      options.certificates ?? [],
      () => {
        connections.forget()
        http2.forget()
      },
      options.systemCertificates,
    ),
    environment: options.environment ?? process.env,
    chance: options.chance ?? Math.random,
    slabs: new SlabPool(),
    connections,
    http2,
    hostLimits: new LearntLimits(() => performance.now()),
    room: new VolumeRoom(),
    writePace: options.writePace ?? new WritePace(),
    syncs: new JointSyncs(),
    close: () => {
      own.closeAttempt()
      connections.close()
      http2.close()
    },
  }
}
