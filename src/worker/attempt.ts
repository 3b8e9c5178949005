/**
 * One attempt inside the worker: it carries out the steps it is ordered to, several at once, and reports. Every
 * report repeats attempt and token and carries a rising number, so that the host can tell old news from new.
 */
import { toErrorRecord } from '../shared/errors.ts'
import type {
  HostMessage,
  StepLimits,
  StepOrder,
  StepOutcome,
  WorkerReport,
} from '../shared/worker-protocol.ts'
import type { HostNews } from './host-news.ts'
import type { PublishAnswer, StepContext, StepExecutor, StepProgress, StopHow } from './step-executor.ts'

/** One executor for each kind of order. */
export type Executors = { [K in StepOrder['kind']]: StepExecutor<K> }

interface RunningStep {
  stop: AbortController
  onPublishAnswer: ((answer: PublishAnswer) => void) | null
}

type RunStep = Extract<HostMessage, { kind: 'run-step' }>

const heartbeatMs = 2_000
const progressMs = 100

export class Attempt {
  readonly id: string
  readonly token: number
  readonly #executors: Executors
  readonly #send: (message: unknown) => void
  readonly #hostNews: () => HostNews[]
  readonly #steps = new Map<string, RunningStep>()
  readonly #progress = new Map<string, StepProgress>()
  /** steps whose figures the host has heard of */
  readonly #told = new Set<string>()
  readonly #limitListeners = new Set<(limits: StepLimits) => void>()
  readonly #unrecorded = new Map<number, () => void>()
  readonly #heartbeat: NodeJS.Timeout
  #progressTimer: NodeJS.Timeout | null = null
  #limits: StepLimits
  #seq = 0
  #ended = false
  /** the last outcome has said that nothing of it is left, and nothing was ordered since */
  #saidLast = false
  /** the host has let it go, and waits to hear that nothing of it is left */
  #isLetGo = false
  readonly #onGone: () => void

  /** `onGone` is called when the host has let it go and nothing of it is left. */
  constructor(
    first: RunStep,
    executors: Executors,
    send: (message: unknown) => void,
    hostNews: () => HostNews[] = () => [],
    onGone: () => void = () => {},
  ) {
    this.id = first.attemptId
    this.token = first.token
    this.#limits = first.limits
    this.#executors = executors
    this.#send = send
    this.#hostNews = hostNews
    this.#onGone = onGone
    this.#heartbeat = setInterval(() => this.#report({ kind: 'heartbeat' }), heartbeatMs)
  }

  handle(message: HostMessage): void {
    switch (message.kind) {
      case 'run-step':
        void this.#run(message)
        break
      case 'stop-steps':
        for (const id of message.stepIds) this.#steps.get(id)?.stop.abort(message.how)
        break
      case 'set-limits':
        this.#setLimits(message.limits)
        break
      case 'publish':
        this.#answerPublish(message.stepId, { kind: 'publish', to: message.to })
        break
      case 'publish-refused':
        this.#answerPublish(message.stepId, { kind: 'refused' })
        break
      case 'child-recorded':
        this.#unrecorded.get(message.pid)?.()
        this.#unrecorded.delete(message.pid)
        break
      case 'end-attempt':
        this.#isLetGo = true
        this.end('discard')
        this.#settleEnd()
        break
    }
  }

  /** Whether a step of it still runs, or is on its way to an end. */
  get isAtWork(): boolean {
    return this.#steps.size > 0
  }

  /** Stops what still runs (executors end the processes they started) and silences the attempt. */
  end(how: StopHow): void {
    this.#ended = true
    clearInterval(this.#heartbeat)
    if (this.#progressTimer !== null) clearTimeout(this.#progressTimer)
    this.#progressTimer = null
    for (const step of this.#steps.values()) step.stop.abort(how)
  }

  async #run(message: RunStep): Promise<void> {
    const { stepId } = message
    if (this.#steps.has(stepId)) return
    this.#setLimits(message.limits)
    const step: RunningStep = { stop: new AbortController(), onPublishAnswer: null }
    this.#steps.set(stepId, step)
    this.#saidLast = false
    let outcome: StepOutcome
    try {
      outcome = await this.#execute(message, this.#contextOf(message, step))
    } catch (error) {
      // a fault of ours: told in full where a developer looks, by code to everyone else
      process.stderr.write(
        `step ${message.order.kind}: ${String(error instanceof Error ? error.stack : error)}\n`,
      )
      outcome = { kind: 'failed', error: toErrorRecord(error) }
    }
    // of a step that was over before anybody could look, the outcome says enough
    if (!this.#told.has(stepId)) this.#progress.delete(stepId)
    this.#flushProgress()
    this.#told.delete(stepId)
    this.#steps.delete(stepId)
    if (!this.#ended) this.#saidLast = !this.isAtWork
    this.#report({ kind: 'outcome', stepId, outcome, isLast: !this.isAtWork })
    this.#settleEnd()
  }

  #execute(message: RunStep, context: StepContext): Promise<StepOutcome> {
    const { order, checkpoint } = message
    switch (order.kind) {
      case 'resolve':
        return this.#executors.resolve(order, checkpoint, context)
      case 'fetch':
        return this.#executors.fetch(order, checkpoint, context)
      case 'mux':
        return this.#executors.mux(order, checkpoint, context)
    }
  }

  #contextOf({ stepId, failures }: RunStep, step: RunningStep): StepContext {
    return {
      stepId,
      failures,
      signal: step.stop.signal,
      limits: () => this.#limits,
      onLimits: (listener) => {
        this.#limitListeners.add(listener)
        return () => this.#limitListeners.delete(listener)
      },
      reportProgress: (progress) => this.#noteProgress(stepId, progress),
      reportCheckpoint: (checkpoint) => this.#report({ kind: 'checkpoint', stepId, checkpoint }),
      reportFacts: (facts) => this.#report({ kind: 'facts', stepId, ...facts }),
      requestPublish: (from, takenPath) =>
        new Promise((resolve) => {
          step.onPublishAnswer = resolve
          this.#report({ kind: 'ready', stepId, from, takenPath })
        }),
      recordChild: (pid) =>
        new Promise((resolve) => {
          this.#unrecorded.set(pid, resolve)
          this.#report({ kind: 'child-started', pid, startTime: '' })
        }),
    }
  }

  #answerPublish(stepId: string, answer: PublishAnswer): void {
    const step = this.#steps.get(stepId)
    step?.onPublishAnswer?.(answer)
    if (step !== undefined) step.onPublishAnswer = null
  }

  #setLimits(limits: StepLimits): void {
    this.#limits = limits
    for (const listener of this.#limitListeners) listener(limits)
  }

  #noteProgress(stepId: string, progress: StepProgress): void {
    if (this.#ended) return
    this.#progress.set(stepId, progress)
    this.#progressTimer ??= setTimeout(() => this.#flushProgress(), progressMs)
  }

  #flushProgress(): void {
    if (this.#progressTimer !== null) clearTimeout(this.#progressTimer)
    this.#progressTimer = null
    for (const news of this.#hostNews()) this.#report({ kind: 'host-limit', ...news })
    if (this.#progress.size === 0) return
    const steps = [...this.#progress].map(([stepId, progress]) => ({ stepId, ...progress }))
    for (const { stepId } of steps) this.#told.add(stepId)
    this.#progress.clear()
    this.#report({ kind: 'progress', steps })
  }

  /** The only word of an attempt that has ended, unless its last outcome has said as much. */
  #settleEnd(): void {
    if (!this.#isLetGo || this.isAtWork) return
    if (!this.#saidLast) this.#post({ kind: 'ended' })
    this.#onGone()
  }

  #report(report: WorkerReport): void {
    if (!this.#ended) this.#post(report)
  }

  #post(report: WorkerReport): void {
    this.#send({ ...report, attemptId: this.id, token: this.token, seq: ++this.#seq })
  }
}
