/** Runs download steps of the real engine in this process, with a host's side that tests can watch and steer. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TaskParameters } from '../../src/shared/task/model.ts'
import type { Checkpoint } from '../../src/shared/task/resource.ts'
import type { StepLimits, StepOutcome } from '../../src/shared/worker-protocol.ts'
import type { StepContext, StepFacts, StepProgress, StopHow } from '../../src/worker/step-executor.ts'
import { createResolveStep } from '../../src/worker/resolve/direct.ts'
import type { FetchOrder } from '../../src/worker/transfer/fetch-order.ts'
import type { Engine, EngineOptions } from '../../src/worker/transfer/engine.ts'
import { createEngine } from '../../src/worker/transfer/engine.ts'
import { createFetchStep } from '../../src/worker/transfer/fetch-step.ts'
import { seededBody, sha256Of } from '../fault-server/fault-server.ts'
import type { SeenRequest } from '../fault-server/fault-server.ts'

/** Short limits, so that tests of time-outs take little time. */
export const quickTimings = { connectMs: 2_000, headMs: 1_000, stallMs: 600, checkpointMs: 100, tickMs: 20 }

export interface RunOptions {
  checkpoint?: Checkpoint | null
  failures?: number
  limits?: Partial<StepLimits>
  /** answers of the host to `requestPublish`, in order; the last one repeats; default: the order's path */
  publish?: (from: string, takenPath: string | null) => ReturnType<StepContext['requestPublish']>
}

/** A running step. */
export interface Run {
  readonly outcome: Promise<StepOutcome>
  readonly checkpoints: Checkpoint[]
  readonly facts: StepFacts[]
  readonly progress: StepProgress[]
  stop(how?: StopHow): void
  setLimits(limits: Partial<StepLimits>): void
  /** Resolves when the condition holds, looked at after every report of the step. */
  until(condition: (run: Run) => boolean): Promise<void>
}

/** A folder, an engine and the orders of one task in it. */
export class Rig {
  readonly folder: string
  engine: Engine
  readonly #options: EngineOptions

  private constructor(folder: string, options: EngineOptions) {
    this.folder = folder
    this.#options = options
    this.engine = createEngine(options)
  }

  static async create(options: EngineOptions = {}): Promise<Rig> {
    const defaults: EngineOptions = { timings: quickTimings, environment: {}, chance: () => 0 }
    return new Rig(await mkdtemp(join(tmpdir(), 'sluice-engine-')), { ...defaults, ...options })
  }

  /** A fresh engine, as after a restart of the worker. */
  restartEngine(): void {
    this.engine.close()
    this.engine = createEngine(this.#options)
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  order(url: string, changes: Partial<FetchOrder> = {}): FetchOrder {
    return {
      kind: 'fetch',
      source: { url, headers: [], facts: null },
      workingFolder: this.path('.sluice-task'),
      fileName: 'track',
      checksum: null,
      proxy: null,
      refusePage: false,
      changedResourcePolicy: 'ask',
      publishTo: this.path('out.bin'),
      ...changes,
    }
  }

  /** Starts a download step; nothing is awaited. */
  start(order: FetchOrder, options: RunOptions = {}): Run {
    const { context, run } = hostSide(order.publishTo, options)
    run.outcome = createFetchStep(this.engine)(order, options.checkpoint ?? null, context)
    return run
  }

  async fetch(
    url: string,
    changes: Partial<FetchOrder> = {},
    options: RunOptions = {},
  ): Promise<StepOutcome> {
    return this.start(this.order(url, changes), options).outcome
  }

  startResolve(
    parameters: Partial<TaskParameters> & Pick<TaskParameters, 'link'>,
    options: RunOptions & { arrivalPath?: string } = {},
  ): Run {
    const { context, run } = hostSide(null, options)
    const whole: TaskParameters = {
      folder: this.folder,
      name: null,
      headers: [],
      connections: null,
      speedLimitBytesPerSecond: null,
      checksum: null,
      proxy: null,
      direct: false,
      ...parameters,
    }
    const { arrivalPath } = options
    const order = { kind: 'resolve', parameters: whole, arrivalPath } as const
    run.outcome = createResolveStep(this.engine)(order, null, context)
    return run
  }

  entries(): Promise<string[]> {
    return readdir(this.folder, { recursive: true })
  }

  sha256(name = 'out.bin'): Promise<string> {
    return sha256OfFile(this.path(name))
  }

  async close(): Promise<void> {
    this.engine.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

type MutableRun = { -readonly [K in keyof Run]: Run[K] }

function hostSide(publishTo: string | null, options: RunOptions): { context: StepContext; run: MutableRun } {
  const controller = new AbortController()
  const limitListeners = new Set<(limits: StepLimits) => void>()
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const look of [...watchers]) look()
  }
  let limits: StepLimits = {
    connections: 8,
    bytesPerSecond: null,
    retryBudget: 5,
    stallTimeoutMs: 150_000,
    ...options.limits,
  }
  const run: MutableRun = {
    outcome: Promise.reject(new Error('not started')),
    checkpoints: [],
    facts: [],
    progress: [],
    stop: (how = 'checkpoint') => controller.abort(how),
    setLimits: (change) => {
      limits = { ...limits, ...change }
      for (const listener of limitListeners) listener(limits)
    },
    until: (condition) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!condition(run)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
        const tooEarly = () => reject(new Error('the step ended before it came to that'))
        run.outcome.then(tooEarly, tooEarly)
      }),
  }
  run.outcome.catch(() => null)
  const context: StepContext = {
    stepId: 'step',
    failures: options.failures ?? 0,
    signal: controller.signal,
    limits: () => limits,
    onLimits: (listener) => {
      limitListeners.add(listener)
      return () => limitListeners.delete(listener)
    },
    reportProgress: (progress) => {
      run.progress.push(progress)
      changed()
    },
    reportCheckpoint: (checkpoint) => {
      run.checkpoints.push(checkpoint)
      changed()
    },
    reportFacts: (facts) => {
      run.facts.push(facts)
      changed()
    },
    requestPublish:
      options.publish ??
      (() => Promise.resolve(publishTo === null ? { kind: 'refused' } : { kind: 'publish', to: publishTo })),
    recordChild: () => Promise.resolve(),
  }
  return { context, run }
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  return hash.digest('hex')
}

/** Hash of the fault server's generated body. */
export function sourceHash(length: number, seed = 1): string {
  return sha256Of(seededBody(length, seed))
}

/** The checkpoint of a paused outcome. */
export function checkpointOf(outcome: StepOutcome): Checkpoint | null {
  return outcome.kind === 'paused' ? outcome.checkpoint : null
}

/** Requests of these that begin at a byte which the checkpoint holds already. */
export function askedAgain<T extends Pick<SeenRequest, 'range'>>(
  checkpoint: Checkpoint | null,
  requests: readonly T[],
): T[] {
  const held = checkpoint?.kind === 'ranges' ? checkpoint.ranges : []
  return requests.filter(({ range }) =>
    held.some(([from, to]) => range !== null && range.start >= from && range.start < to),
  )
}

/** What a test says of an outcome in a few words: kind, cause, code. */
export function summary(outcome: StepOutcome): string {
  if (outcome.kind === 'completed') return 'completed'
  if (outcome.kind === 'paused') {
    return outcome.cause === null ? 'paused' : `paused ${outcome.cause.kind} ${outcome.cause.error.code}`
  }
  return `${outcome.kind} ${outcome.error.code}`
}
