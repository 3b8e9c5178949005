/**
 * Looking a link up outside any task: a worker of its own, at most four side by side, thirty seconds, cancellable.
 * Nothing is stored; what was found is kept for ten minutes, so that adding the link need not ask again.
 */
import { SluiceError } from '../../shared/errors.ts'
import type { Plan, TaskParameters } from '../../shared/task/model.ts'
import type { NetworkRules, StepOutcome, WorkerMessage } from '../../shared/worker-protocol.ts'
import type { Clock, Random, TaskStore, WorkerEnd, WorkerPool } from '../ports.ts'

const sideBySide = 4
const timeLimitMs = 30_000
const keptMs = 10 * 60_000
const mostKept = 100
const stepId = 'lookup'

export interface LookupParts {
  readonly clock: Clock
  readonly random: Random
  readonly store: Pick<TaskStore, 'nextToken'>
  readonly workers: WorkerPool
  stallTimeoutMs(): number
  network(): NetworkRules
}

/** A look-up on its way. */
export interface Lookup {
  /** What the link offers; rejects with the error that a task with this link would have. */
  readonly plan: Promise<Plan>
  cancel(): void
}

interface Kept {
  readonly plan: Plan
  readonly link: TaskParameters['link']
  readonly until: number
}

export class Lookups {
  readonly #parts: LookupParts
  readonly #waiting = new Set<() => void>()
  readonly #kept = new Map<string, Kept>()
  #running = 0

  constructor(parts: LookupParts) {
    this.#parts = parts
  }

  begin(parameters: TaskParameters): Lookup {
    const cancelled = Promise.withResolvers<never>()
    // nobody may be waiting for it any more
    cancelled.promise.catch(() => undefined)
    return {
      plan: this.#plan(parameters, cancelled.promise),
      cancel: () => cancelled.reject(new SluiceError('CONFLICT', 'The look-up was cancelled')),
    }
  }

  /** Keeps a plan; returns the id under which it can be had for ten minutes. */
  keep(plan: Plan, parameters: TaskParameters): string {
    const now = this.#parts.clock.monotonic()
    for (const [id, { until }] of this.#kept) if (until <= now) this.#kept.delete(id)
    for (const id of this.#kept.keys()) {
      if (this.#kept.size < mostKept) break
      this.#kept.delete(id)
    }
    const id = this.#parts.random.id()
    this.#kept.set(id, { plan, link: parameters.link, until: now + keptMs })
    return id
  }

  /** Null when it is unknown or too old. Throws `INVALID_INPUT` when it is of another link. */
  kept(id: string, link: TaskParameters['link']): Plan | null {
    const kept = this.#kept.get(id)
    if (kept === undefined || kept.until <= this.#parts.clock.monotonic()) return null
    if (JSON.stringify(kept.link) !== JSON.stringify(link)) {
      throw new SluiceError('INVALID_INPUT', 'What was looked up is another link')
    }
    return kept.plan
  }

  async #plan(parameters: TaskParameters, cancelled: Promise<never>): Promise<Plan> {
    await this.#takeSlot(cancelled)
    try {
      return planOf(await this.#resolve(parameters, cancelled))
    } finally {
      this.#freeSlot()
    }
  }

  async #takeSlot(cancelled: Promise<never>): Promise<void> {
    if (this.#running < sideBySide) {
      this.#running++
      return
    }
    const turn = Promise.withResolvers<undefined>()
    const take = () => turn.resolve(undefined)
    this.#waiting.add(take)
    try {
      await Promise.race([turn.promise, cancelled])
    } catch (thrown) {
      // its turn may have come at the same moment
      if (!this.#waiting.delete(take)) this.#freeSlot()
      throw thrown
    }
  }

  /** The slot goes from hand to hand, so that nobody slips in between. */
  #freeSlot(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#running--
    else {
      this.#waiting.delete(next)
      next()
    }
  }

  async #resolve(parameters: TaskParameters, cancelled: Promise<never>): Promise<StepOutcome> {
    const { store, workers, random, clock } = this.#parts
    const address = { attemptId: random.id(), token: await store.nextToken() }
    const answer = Promise.withResolvers<StepOutcome>()
    cancelled.catch((error: unknown) => answer.reject(error))
    const handlers = {
      onMessage: (message: WorkerMessage) => {
        if (isAnswer(message, address)) answer.resolve(message.outcome)
      },
      onEnd: (end: WorkerEnd) => answer.reject(lost(end)),
    }
    // it is killed as soon as nobody wants its answer any more, and must take no task with it
    const lease = await workers.acquire(handlers, 'alone')
    const cancelTimer = clock.after(timeLimitMs, () => {
      answer.reject(new SluiceError('TIMEOUT', 'Looking the link up took too long'))
    })
    try {
      lease.send({
        kind: 'run-step',
        ...address,
        stepId,
        order: { kind: 'resolve', parameters, network: this.#parts.network() },
        checkpoint: null,
        failures: 0,
        limits: {
          connections: 1,
          bytesPerSecond: null,
          retryBudget: 1,
          stallTimeoutMs: this.#parts.stallTimeoutMs(),
        },
      })
      const outcome = await answer.promise
      lease.release()
      return outcome
    } catch (thrown) {
      lease.kill()
      throw thrown
    } finally {
      cancelTimer()
    }
  }
}

function isAnswer(
  message: WorkerMessage,
  address: { attemptId: string; token: number },
): message is Extract<WorkerMessage, { kind: 'outcome' }> {
  return (
    message.kind === 'outcome' &&
    message.attemptId === address.attemptId &&
    message.token === address.token &&
    message.stepId === stepId
  )
}

function lost(end: WorkerEnd): SluiceError {
  return new SluiceError('WORKER_CRASHED', 'The look-up ended unexpectedly', { details: { end: end.kind } })
}

function planOf(outcome: StepOutcome): Plan {
  switch (outcome.kind) {
    case 'completed':
      if (outcome.result.kind === 'plan') return outcome.result.plan
      break
    case 'failed':
    case 'skipped':
      throw SluiceError.fromRecord(outcome.error)
    case 'paused':
      if (outcome.cause !== null) throw SluiceError.fromRecord(outcome.cause.error)
      break
  }
  throw new SluiceError('INTERNAL', 'The look-up brought no plan')
}
