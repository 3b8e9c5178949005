/**
 * Workers of the model: they do honest work when told to, write their results to the fake disk, ask for leave to
 * publish, and obey stops, unless a command makes them fail, fall silent or die.
 */
import type { Checkpoint } from '../../src/shared/task/resource.ts'
import type { StepOutcome, WorkerMessage } from '../../src/shared/worker-protocol.ts'
import { SluiceError } from '../../src/shared/errors.ts'
import type { ErrorCode } from '../../src/shared/errors.ts'
import type { CoreWorld } from '../fakes/core-world.ts'
import type { FakeWorker, RunStep } from '../fakes/fake-workers.ts'
import { Violation } from './invariants.ts'
import { planOf, shapeOf, trackBytes } from './plans.ts'

export type Trouble =
  | 'fail'
  | 'network-wait'
  | 'network-budget'
  | 'storage'
  | 'storage-stuck'
  | 'review'
  | 'too-short'
  | 'page'
  | 'segments'
  | 'source'
  | 'skip'

function error(code: ErrorCode) {
  return new SluiceError(code, `the model says ${code}`).toRecord()
}

export function checkpointOf(order: RunStep, bytes: number): Checkpoint {
  return {
    kind: 'ranges',
    fileName: order.order.kind === 'resolve' ? '' : order.order.fileName,
    length: trackBytes,
    validator: null,
    finalUrl: 'http://host.test/',
    ranges: bytes === 0 ? [] : [[0, bytes]],
    fronts: [],
  }
}

/** Of a file that came with its plan: nothing is done for it but that it is named, and nothing stops that. */
function leaveIn({ order }: RunStep): { from: string; to: string } | null {
  return order.kind === 'fetch' ? (order.leave ?? null) : null
}

export class SimWorkers {
  readonly #world: CoreWorld
  /** workers that neither obey stops nor say anything */
  readonly deaf = new Set<FakeWorker>()
  /** said before, for being said again */
  readonly said: { worker: FakeWorker; message: WorkerMessage }[] = []
  /** workers that die on the leave to publish, before or after they used it */
  readonly dieOnLeave = new Map<FakeWorker, 'before' | 'after'>()

  /** whose small files come whole with their plan */
  bringsFile: (worker: FakeWorker) => boolean = () => false

  readonly #violations: unknown[]

  constructor(world: CoreWorld, violations: unknown[]) {
    this.#world = world
    this.#violations = violations
  }

  /** Answers the host for every worker of the present pool. */
  attach(): void {
    this.#world.pool.onHostMessage = (worker, message) => {
      if (this.deaf.has(worker)) return
      if (message.kind === 'run-step' && message.stepId === 'lookup') {
        void Promise.resolve().then(() => this.finish(worker, message))
      } else if (message.kind === 'run-step') {
        const leave = leaveIn(message)
        if (leave !== null) void Promise.resolve().then(() => this.#publish(worker, message.stepId, leave.to))
      } else if (message.kind === 'publish') this.#publish(worker, message.stepId, message.to)
      else if (message.kind === 'publish-refused') {
        this.end(worker, message.stepId, { kind: 'paused', checkpoint: null, cause: null })
      } else if (message.kind === 'stop-steps') {
        for (const stepId of message.stepIds) this.#obey(worker, stepId)
      }
    }
  }

  #say(worker: FakeWorker, message: WorkerMessage): void {
    this.said.push({ worker, message })
    worker.raw(message)
  }

  end(worker: FakeWorker, stepId: string, outcome: StepOutcome): void {
    if (!worker.orders.has(stepId)) return
    // some have something of the attempt left beside their steps, and say later that it is gone, or never
    const isLast = worker.orders.size === 1 && worker.pid % 3 !== 0 && !worker.wedged
    this.#say(worker, { ...worker.envelope(), kind: 'outcome', stepId, outcome, isLast })
  }

  #bytesOf(order: RunStep): number {
    return order.checkpoint?.kind === 'ranges' ? (order.checkpoint.ranges[0]?.[1] ?? 0) : 0
  }

  readonly #progressed = new Map<string, number>()

  #key(worker: FakeWorker, stepId: string): string {
    return `${worker.pid}/${stepId}`
  }

  bytes(worker: FakeWorker, order: RunStep): number {
    return this.#progressed.get(this.#key(worker, order.stepId)) ?? this.#bytesOf(order)
  }

  #obey(worker: FakeWorker, stepId: string): void {
    const order = worker.orders.get(stepId)
    if (order === undefined || leaveIn(order) !== null) return
    const checkpoint = order.order.kind === 'fetch' ? checkpointOf(order, this.bytes(worker, order)) : null
    this.end(worker, stepId, { kind: 'paused', checkpoint, cause: null })
  }

  /** New durable bytes, reported and checkpointed. */
  advance(worker: FakeWorker, order: RunStep, bytes: number): void {
    if (order.order.kind !== 'fetch' || leaveIn(order) !== null) return
    const now = Math.min(trackBytes, this.bytes(worker, order) + bytes)
    this.#progressed.set(this.#key(worker, order.stepId), now)
    this.#say(worker, {
      ...worker.envelope(),
      kind: 'progress',
      steps: [
        {
          stepId: order.stepId,
          doneBytes: now,
          size: trackBytes,
          fraction: now / trackBytes,
          bytesPerSecond: 100,
          activity: 'transferring',
        },
      ],
    })
    this.#say(worker, {
      ...worker.envelope(),
      kind: 'checkpoint',
      stepId: order.stepId,
      checkpoint: checkpointOf(order, now),
    })
  }

  /** Honest end of a step, or the request for leave when it makes a file. */
  finish(worker: FakeWorker, order: RunStep): void {
    const { stepId } = order
    const what = order.order
    if (leaveIn(order) !== null) return
    if (what.kind === 'resolve') {
      const { link, name } = what.parameters
      const url = link.kind === 'single' ? link.url : link.video
      const plan = planOf(shapeOf(url), url)
      const [only] = plan.files
      if (name !== null && only !== undefined && plan.files.length === 1) only.name = name
      const place = shapeOf(url) === 'plain' && this.bringsFile(worker) ? what.arrivalPath : undefined
      if (place !== undefined) this.#world.files.write(place, trackBytes)
      this.end(worker, stepId, {
        kind: 'completed',
        result: { kind: 'plan', plan, hasArrived: place !== undefined },
      })
      return
    }
    const path = `${what.workingFolder}/${what.fileName}`
    const output = this.#world.files.write(path, trackBytes)
    if (what.publishTo === null) {
      this.end(worker, stepId, {
        kind: 'completed',
        result: { kind: 'track', output: { path, ...output } },
      })
    } else {
      this.#say(worker, { ...worker.envelope(), kind: 'ready', stepId, from: path, takenPath: null })
    }
  }

  /** Invariant 13: leave is given once it is durable, and not when a request has won. */
  #checkLeave(stepId: string, to: string): void {
    for (const task of this.#world.store.peek().tasks.values()) {
      const step = task.steps.find((candidate) => candidate.id === stepId)
      if (step === undefined) continue
      if (step.publishing?.to !== to) this.#violations.push(new Violation(13, `${to} was not committed`))
      if (['cancel', 'delete', 'edit', 'redownload'].includes(task.request?.kind ?? '')) {
        this.#violations.push(new Violation(13, `${to} is published despite ${task.request?.kind ?? ''}`))
      }
    }
  }

  #publish(worker: FakeWorker, stepId: string, to: string): void {
    this.#checkLeave(stepId, to)
    const order = worker.orders.get(stepId)
    if (order === undefined || order.order.kind === 'resolve') return
    const from = leaveIn(order)?.from ?? `${order.order.workingFolder}/${order.order.fileName}`
    const dies = this.dieOnLeave.get(worker)
    if (dies === 'before') {
      worker.crash()
      return
    }
    if (!this.#world.files.rename(from, to)) {
      this.#say(worker, { ...worker.envelope(), kind: 'ready', stepId, from, takenPath: to })
      return
    }
    if (dies === 'after') {
      worker.crash()
      return
    }
    const [written] = [this.#world.files.stat(to)]
    if (written === null) throw new Error('the file that was just named is not there')
    this.end(worker, stepId, {
      kind: 'completed',
      result: { kind: 'file', output: { path: to, ...written } },
    })
  }

  trouble(worker: FakeWorker, order: RunStep, trouble: Trouble): void {
    if (leaveIn(order) !== null) return
    const { stepId } = order
    const fetches = order.order.kind === 'fetch'
    const checkpoint = fetches ? checkpointOf(order, this.bytes(worker, order)) : null
    const paused = (cause: Extract<StepOutcome, { kind: 'paused' }>['cause']) =>
      this.end(worker, stepId, { kind: 'paused', checkpoint, cause })
    const network = error('NETWORK_ERROR')
    switch (trouble) {
      case 'fail':
        this.end(worker, stepId, { kind: 'failed', error: error('CHECKSUM_MISMATCH') })
        return
      case 'skip':
        this.end(worker, stepId, { kind: 'skipped', error: error('NOT_FOUND') })
        return
      case 'network-wait':
        paused({ kind: 'network', error: network, retryAfterMs: 30_000, failures: order.failures + 1 })
        return
      case 'network-budget':
        paused({ kind: 'network', error: network, retryAfterMs: null, failures: order.failures + 6 })
        return
      case 'storage':
        paused({ kind: 'storage', error: error('STORAGE_FULL'), resumesByItself: true })
        return
      case 'storage-stuck':
        paused({ kind: 'storage', error: error('STORAGE_UNAVAILABLE'), resumesByItself: false })
        return
      case 'review':
        paused({ kind: 'review', error: error('REMOTE_CHANGED') })
        return
      case 'too-short':
        paused({ kind: 'review', error: error('TOO_SHORT') })
        return
      case 'page':
        paused({ kind: 'review', error: error('LOOKS_LIKE_A_PAGE') })
        return
      case 'segments':
        paused({ kind: 'review', error: error('SEGMENTS_MISSING') })
        return
      case 'source':
        paused({ kind: 'source', error: error('LINK_EXPIRED') })
        return
    }
  }
}
