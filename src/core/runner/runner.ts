/**
 * Carries out attempts: finds a worker, commits the attempt, gives one order per step, hears one outcome for it,
 * and observes the end. Every change is committed before it is acted upon, and every message is checked against
 * the current ownership before it changes anything.
 */
import { taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Clock, Random, TaskStore, WorkerEnd, WorkerPool } from '../ports.ts'
import type { TaskLines } from '../service/task-lines.ts'
import type { TaskMemory } from '../service/task-memory.ts'
import type { TaskWriter, Written } from '../service/task-writer.ts'
import { beginAttempt } from '../transition/attempt.ts'
import { hasWorked } from '../transition/carry-out.ts'
import type { Effect, TransitionContext } from '../transition/transition.ts'
import type { AttemptEnds } from './attempt-ends.ts'
import type { OrderSource } from './order-source.ts'
import type { MessageDesk } from './message-desk.ts'
import type { Runs } from './runs.ts'
import { finishGraceMs, killGraceMs, Run } from './run.ts'

const retryEndMs = 1000

export interface RunnerParts {
  readonly clock: Clock
  readonly random: Random
  readonly store: TaskStore
  readonly workers: WorkerPool
  readonly lines: TaskLines
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  readonly ends: AttemptEnds
  readonly runs: Runs
  readonly orders: OrderSource
  readonly desk: MessageDesk
  context(): TransitionContext
  /** a fault of our own: reported, never swallowed */
  onFault(taskId: string | null, error: unknown): void
  /** an attempt could not be begun; the scheduler waits before it tries again */
  onStartFailed(): void
  /** a slot has become free */
  onFree(): void
}

export class Runner {
  readonly #parts: RunnerParts
  /** tasks whose last attempt lost its worker: the next one shows whether that was its own doing */
  readonly #lostWorker = new Set<string>()

  constructor(parts: RunnerParts) {
    this.#parts = parts
    parts.writer.onWritten((written) => this.#act(written))
  }

  /** Takes the slot at once; the attempt begins when a worker is there and the task still wants it. */
  start(taskId: string): void {
    const { clock, random, runs } = this.#parts
    const run = new Run(taskId, random.id(), clock.monotonic())
    runs.add(run)
    void this.#begin(run)
  }

  async #begin(run: Run): Promise<void> {
    const { store, workers, lines } = this.#parts
    try {
      run.token = await store.nextToken()
      const lease = await workers.acquire(
        {
          onMessage: (message) => this.#parts.desk.receive(run, message),
          onEnd: (end) => this.#onEnd(run, end),
        },
        this.#mustBeAlone(run) ? 'alone' : undefined,
      )
      run.lease = lease
      await lines.run(run.taskId, () => this.#commitBegin(run))
    } catch (thrown) {
      this.#parts.onFault(run.taskId, thrown)
      this.#parts.onStartFailed()
      if (run.lease === null) this.#free(run)
      else run.lease.release()
    }
  }

  /** Who has lost a worker could take others with him, and would be charged with what others do. */
  #mustBeAlone({ taskId }: Run): boolean {
    return this.#lostWorker.delete(taskId) || (this.#parts.memory.live(taskId)?.crashes ?? 0) > 0
  }

  /** A request that came before the worker prevents the start. */
  async #commitBegin(run: Run): Promise<void> {
    const { memory, clock } = this.#parts
    const task = memory.live(run.taskId)
    const wanted =
      task !== undefined && taskState(task) === 'WAITING' && task.request === null && task.attempt === null
    const { lease } = run
    if (lease === null || run.end !== null) return
    if (!wanted || run.abandoned) {
      lease.release()
      return
    }
    const attempt = {
      id: run.attemptId,
      jobId: task.job.id,
      taskId: task.id,
      token: run.token,
      startedAt: clock.now(),
      worker: { pid: lease.pid, startTime: lease.startTime },
      children: [],
      end: null,
    }
    run.isFirst = !hasWorked(task)
    run.phase = 'running'
    run.heardAt = clock.monotonic()
    run.progressedAt = clock.monotonic()
    try {
      await this.#parts.writer.write([
        { before: task, transition: beginAttempt(task, attempt, this.#parts.context()) },
      ])
    } catch (thrown) {
      run.phase = 'starting'
      throw thrown
    }
  }

  /** What has to be done now that a transition is durable. */
  #act(written: readonly Written[]): void {
    for (const { after, effects } of written) {
      if (after === null) continue
      const run = this.#parts.runs.of(after.id)
      if (run === undefined || run.phase === 'starting') continue
      for (const effect of effects) this.#perform(run, after, effect)
      if (after.request !== null) this.#endIfNothingRuns(run, after)
    }
  }

  #perform(run: Run, task: Task, effect: Effect): void {
    switch (effect.kind) {
      case 'start-steps':
        for (const stepId of effect.stepIds) this.#order(run, task, stepId)
        return
      case 'stop-steps':
        this.stopSteps(run, effect.stepIds, effect.how)
        return
      case 'end-attempt':
        this.finish(run)
        return
      case 'discard-partials':
        return
    }
  }

  #order(run: Run, task: Task, stepId: string): void {
    const { orders, clock } = this.#parts
    const step = task.steps.find((candidate) => candidate.id === stepId)
    if (step === undefined || run.lease === null) return
    run.progressedAt = clock.monotonic()
    run.stopping.delete(stepId)
    run.figures.begin(stepId, step)
    try {
      run.limits ??= orders.limits(task, run)
      run.lease.send({
        kind: 'run-step',
        attemptId: run.attemptId,
        token: run.token,
        stepId,
        order: orders.order(task, step),
        checkpoint: step.checkpoint,
        failures: step.failures,
        limits: run.limits,
      })
    } catch (thrown) {
      // A step that cannot be ordered ends its attempt; the task is told why by the crash rule.
      this.#parts.onFault(run.taskId, thrown)
      this.kill(run, 'crashed')
    }
  }

  /** Asks steps to stop; a worker that does not obey within the grace is killed. */
  stopSteps(run: Run, stepIds: readonly string[], how: 'checkpoint' | 'discard'): void {
    const fresh = stepIds.filter((id) => !run.stopping.has(id))
    if (fresh.length === 0 && how === 'checkpoint') return
    for (const id of stepIds) run.stopping.add(id)
    run.lease?.send({
      kind: 'stop-steps',
      attemptId: run.attemptId,
      token: run.token,
      stepIds: [...stepIds],
      how,
    })
    run.killAt ??= this.#parts.clock.monotonic() + killGraceMs
  }

  /** All steps have ended: the worker is let go, and killed when it does not go. */
  finish(run: Run): void {
    if (run.phase === 'finishing') return
    run.phase = 'finishing'
    run.killAt = this.#parts.clock.monotonic() + finishGraceMs
    run.lease?.release()
  }

  kill(run: Run, fault: Run['fault']): void {
    run.fault ??= fault
    run.killAt = null
    run.lease?.kill()
  }

  /** A request on an attempt whose steps have all ended: only the worker's end is missing. */
  #endIfNothingRuns(run: Run, task: Task): void {
    if (task.attempt !== null && !task.steps.some((step) => step.state === 'RUNNING')) this.finish(run)
  }

  #onEnd(run: Run, end: WorkerEnd): void {
    if (run.end !== null) return
    run.end = end
    if (end.kind !== 'returned') this.#noteLoss(run.taskId)
    this.#close(run)
  }

  #noteLoss(taskId: string): void {
    // those that ended since, or were removed, do not come back for it
    for (const id of this.#lostWorker)
      if (this.#parts.memory.live(id) === undefined) this.#lostWorker.delete(id)
    this.#lostWorker.add(taskId)
  }

  /** Commits the observed end; a store that cannot take it now is asked again, and the slot stays taken. */
  #close(run: Run): void {
    const { lines, clock } = this.#parts
    lines
      .run(run.taskId, () => this.#commitEnd(run))
      .then(
        () => this.#free(run),
        (thrown: unknown) => {
          this.#parts.onFault(run.taskId, thrown)
          clock.after(retryEndMs, () => this.#close(run))
        },
      )
  }

  async #commitEnd(run: Run): Promise<void> {
    const { memory, ends, writer } = this.#parts
    const before = memory.live(run.taskId)
    // committed already where the worker's last word told it
    if (before?.attempt?.token !== run.token) return
    await writer.write([{ before, transition: await ends.of(run, before) }])
  }

  #free(run: Run): void {
    this.#parts.runs.remove(run)
    this.#parts.onFree()
  }
}
