/**
 * Looking a link up outside any task: a worker of its own, at most four side by side, thirty seconds, nothing
 * stored.
 */
import { SluiceError } from '../../shared/errors.ts'
import type { Plan, TaskParameters } from '../../shared/task/model.ts'
import type { StepLimits, StepOutcome, WorkerMessage } from '../../shared/worker-protocol.ts'
import type { Clock, Random, TaskStore, WorkerEnd, WorkerLease, WorkerPool } from '../ports.ts'

const sideBySide = 4
const timeLimitMs = 30_000
const stepId = 'lookup'

export interface LookupParts {
  readonly clock: Clock
  readonly random: Random
  readonly store: Pick<TaskStore, 'nextToken'>
  readonly workers: WorkerPool
  limits(): StepLimits
}

export class Lookups {
  readonly #parts: LookupParts
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(parts: LookupParts) {
    this.#parts = parts
  }

  /** What the link offers. Throws the error that a task with this link would have. */
  async plan(parameters: TaskParameters): Promise<Plan> {
    if (this.#running >= sideBySide) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#running++
    try {
      return planOf(await this.#resolve(parameters))
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  async #resolve(parameters: TaskParameters): Promise<StepOutcome> {
    const { store, workers, random, clock } = this.#parts
    const address = { attemptId: random.id(), token: await store.nextToken() }
    const answer = Promise.withResolvers<StepOutcome>()
    const lease = await workers.acquire({
      onMessage: (message) => {
        if (isAnswer(message, address)) answer.resolve(message.outcome)
      },
      onEnd: (end) => answer.reject(lost(end)),
    })
    const cancelTimer = clock.after(timeLimitMs, () => {
      answer.reject(new SluiceError('TIMEOUT', 'Looking the link up took too long'))
    })
    try {
      lease.send({
        kind: 'run-step',
        ...address,
        stepId,
        order: { kind: 'resolve', parameters },
        checkpoint: null,
        failures: 0,
        limits: this.#parts.limits(),
      })
      const outcome = await answer.promise
      letGo(lease, address)
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

function letGo(lease: WorkerLease, address: { attemptId: string; token: number }): void {
  lease.send({ kind: 'end-attempt', ...address })
  lease.release()
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
