/**
 * What workers say. Heartbeats and progress are taken in at once; what changes the task waits for its turn in
 * the task's line and is checked again there, because the attempt may have ended meanwhile.
 */
import { isTerminal, taskState } from '../../shared/task/derive.ts'
import { SluiceError, toErrorRecord } from '../../shared/errors.ts'
import type { Step, Task } from '../../shared/task/model.ts'
import type { StepOutcome, WorkerMessage } from '../../shared/worker-protocol.ts'
import { arrivalPath, outputPath } from '../names/claims.ts'
import type { Clock, FileSystem } from '../ports.ts'
import type { FileCare } from '../service/file-care.ts'
import type { TaskLines } from '../service/task-lines.ts'
import type { TaskMemory } from '../service/task-memory.ts'
import type { TaskWriter } from '../service/task-writer.ts'
import { withArrival } from '../transition/arrival.ts'
import { withChild } from '../transition/attempt.ts'
import type { StepEnd } from '../transition/step-end.ts'
import { stepEnded } from '../transition/outcome.ts'
import { withCheckpoint, withFacts, withLeaveToPublish } from '../transition/reports.ts'
import { preventsPublishing } from '../transition/request.ts'
import { settle } from '../transition/settle.ts'
import type { Transition, TransitionContext } from '../transition/transition.ts'
import { followedBy } from '../transition/transition.ts'
import type { AttemptEnds } from './attempt-ends.ts'
import type { Fault, Run } from './run.ts'

type Message<K extends WorkerMessage['kind']> = Extract<WorkerMessage, { kind: K }>

export interface MessageDeskParts {
  readonly clock: Clock
  readonly files: FileSystem
  readonly care: FileCare
  readonly lines: TaskLines
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  readonly ends: AttemptEnds
  context(): TransitionContext
  onFault(taskId: string, error: unknown): void
  /** figures changed: rows may be sent */
  onFigures(taskId: string): void
  /** a host bears no more connections than these */
  onHostLimit(host: string, connections: number): void
  /** lets the worker of an attempt go */
  finish(run: Run): void
  /** a fault while handling a message ends the attempt and its processes, never the host */
  kill(run: Run, fault: Fault): void
}

export class MessageDesk {
  readonly #parts: MessageDeskParts

  constructor(parts: MessageDeskParts) {
    this.#parts = parts
  }

  receive(run: Run, message: WorkerMessage): void {
    if (!run.accepts(message)) return
    const { clock } = this.#parts
    run.lastSeq = message.seq
    run.heardAt = clock.monotonic()
    switch (message.kind) {
      case 'heartbeat':
      case 'ended':
        return
      case 'progress':
        for (const step of message.steps) {
          if (run.figures.report(step, clock.monotonic())) run.progressedAt = clock.monotonic()
        }
        this.#parts.onFigures(run.taskId)
        return
      case 'host-limit':
        this.#parts.onHostLimit(message.host, message.connections)
        return
      case 'checkpoint':
        run.progressedAt = clock.monotonic()
        this.#queue(run, (task) => this.#checkpoint(task, message), 'goes on')
        return
      case 'facts':
        this.#queue(run, (task) => this.#facts(task, message), 'goes on')
        return
      case 'child-started':
        this.#queue(run, (task) => this.#childStarted(run, task, message), 'ends')
        return
      case 'ready':
        run.progressedAt = clock.monotonic()
        this.#queue(run, (task) => this.#ready(run, task, message), 'ends')
        return
      case 'outcome':
        run.progressedAt = clock.monotonic()
        this.#queue(run, (task) => this.#outcome(run, task, message), 'ends')
        return
    }
  }

  /**
   * Handles a message in the task's line. `onFailure`: a checkpoint that could not be stored is followed by the
   * next one; anything that the worker waits for ends the attempt.
   */
  #queue(run: Run, handle: (task: Task) => Promise<void>, onFailure: 'goes on' | 'ends'): void {
    const { lines, memory } = this.#parts
    lines
      .run(run.taskId, async () => {
        const task = memory.live(run.taskId)
        // The attempt has ended, or never was committed: news of it changes nothing.
        if (task?.attempt?.token !== run.token || task.attempt.end !== null) return
        await handle(task)
      })
      .catch((thrown: unknown) => {
        this.#parts.onFault(run.taskId, thrown)
        if (onFailure === 'ends') this.#parts.kill(run, isStorageTrouble(thrown) ? 'stopped' : 'crashed')
      })
  }

  async #checkpoint(task: Task, message: Message<'checkpoint'>): Promise<void> {
    const after = withCheckpoint(task, message.stepId, message.checkpoint)
    if (after === task) return
    await this.#parts.writer.write([{ before: task, transition: settle(after, {}, this.#parts.context()) }])
  }

  async #facts(task: Task, message: Message<'facts'>): Promise<void> {
    const after = withFacts(task, message.stepId, message)
    if (after === task) return
    await this.#parts.writer.write([{ before: task, transition: settle(after, {}, this.#parts.context()) }])
  }

  async #childStarted(run: Run, task: Task, message: Message<'child-started'>): Promise<void> {
    const child = { pid: message.pid, startTime: message.startTime }
    const transition = settle(withChild(task, child), {}, this.#parts.context())
    await this.#parts.writer.write([{ before: task, transition }])
    run.lease?.send({
      kind: 'child-recorded',
      attemptId: run.attemptId,
      token: run.token,
      pid: message.pid,
    })
  }

  /** Between a request and the completion exactly one wins: at this commit. */
  async #ready(run: Run, task: Task, message: Message<'ready'>): Promise<void> {
    const step = runningStep(task, message.stepId)
    if (step === null) return
    const address = { attemptId: run.attemptId, token: run.token, stepId: step.id }
    if (preventsPublishing(task.request) || isTerminal(taskState(task))) {
      run.lease?.send({ kind: 'publish-refused', ...address })
      return
    }
    const to = this.#finalPath(task, step)
    const asked = withLeaveToPublish(task, step.id, { from: message.from, to })
    await this.#parts.writer.write([
      {
        before: task,
        transition: settle(asked, {}, this.#parts.context()),
        requires: { stepId: step.id, token: run.token },
        avoid: message.takenPath,
      },
    ])
    const committed = this.#parts.memory.live(task.id)
    const granted = committed === undefined ? null : runningStep(committed, step.id)?.publishing
    if (granted) run.lease?.send({ kind: 'publish', ...address, to: granted.to })
  }

  #finalPath(task: Task, step: Step): string {
    const file = task.files.find((candidate) => candidate.id === step.fileId)
    if (file === undefined) throw new SluiceError('INTERNAL', 'A step without a file wants to publish')
    return outputPath(task, file, this.#parts.files)
  }

  async #outcome(run: Run, task: Task, message: Message<'outcome'>): Promise<void> {
    const step = runningStep(task, message.stepId)
    if (step === null) return
    const { outcome } = message
    if (isPublished(outcome) && step.publishing === null) {
      throw new SluiceError('INTERNAL', 'A worker published a file without leave')
    }
    run.stopping.delete(step.id)
    if (run.stopping.size === 0) run.killAt = null
    run.figures.forget(step.id)
    const reported = this.#asStepEnd(run, outcome)
    run.leavesNothing = run.isFirst && this.#leavesNothing(task, step, outcome)
    // the disk is asked for both at once: it seldom is that the name cannot be made durable
    const [end, hoped] = await Promise.all([
      this.#durableEnd(reported),
      this.#ended(run, task, message, reported),
    ])
    const transition = end === reported ? hoped : await this.#ended(run, task, message, end)
    await this.#parts.writer.write([
      { before: task, transition, requires: { stepId: step.id, token: run.token } },
    ])
    if (isPublished(end)) await this.#parts.care.deleteReplaced(task, transition.task, step.id)
  }

  /** Whether what came with the plan has its only name, so that there is nothing to look for and to remove. */
  #leavesNothing(task: Task, step: Step, outcome: StepOutcome): boolean {
    const hasArrived = step.publishing?.from === arrivalPath(task, this.#parts.files)
    return hasArrived && isPublished(outcome) && outcome.result.hasFirstName !== true
  }

  /** What the end of the step makes of the task, with the end of the attempt where that is one commit. */
  async #ended(run: Run, task: Task, message: Message<'outcome'>, end: StepEnd): Promise<Transition> {
    const ended = this.#withArrival(stepEnded(task, message.stepId, end, this.#parts.context()), end)
    if (run.fault === 'stalled') run.fault = null
    return message.isLast && endsAttempt(ended) ? this.#withEnd(run, ended) : ended
  }

  /** What came whole with the plan has leave to publish in the commit that takes the plan. */
  #withArrival(ended: Transition, end: StepEnd): Transition {
    const { files } = this.#parts
    if (end.kind !== 'completed' || end.result.kind !== 'plan' || end.result.hasArrived !== true) return ended
    return withArrival(ended, (task, step) => ({
      from: arrivalPath(task, files),
      to: this.#finalPath(task, step),
    }))
  }

  /** That a file has its name is committed once the name survives a power cut. */
  async #durableEnd(end: StepEnd): Promise<StepEnd> {
    if (!isPublished(end)) return end
    try {
      await this.#parts.care.syncName(end.result.output.path)
      return end
    } catch (thrown) {
      const error = toErrorRecord(thrown)
      const resumesByItself = error.code === 'STORAGE_FULL'
      return { kind: 'paused', checkpoint: null, cause: { kind: 'storage', error, resumesByItself } }
    }
  }

  /**
   * Nothing of the attempt is left in its worker, and the task has nothing more for it to do: its end has been
   * observed, and is one commit with that of the step.
   */
  async #withEnd(run: Run, ended: Transition): Promise<Transition> {
    const effects = ended.effects.filter((effect) => effect.kind !== 'end-attempt')
    this.#parts.finish(run)
    try {
      return followedBy({ ...ended, effects }, await this.#parts.ends.of(run, ended.task))
    } catch (thrown) {
      // what has to be done on the disk first cannot be done now: the runner tries it again
      this.#parts.onFault(run.taskId, thrown)
      return ended
    }
  }

  /** A step that stopped because it was stalled did not just pause. */
  #asStepEnd(run: Run, outcome: StepOutcome): StepEnd {
    if (run.fault !== 'stalled' || outcome.kind !== 'paused' || outcome.cause !== null) return outcome
    return { kind: 'stalled', error: new SluiceError('STALLED', 'Nothing arrived for too long').toRecord() }
  }
}

/** The database could not be written: nothing that the worker did wrong. */
function isStorageTrouble(thrown: unknown): boolean {
  const { code } = toErrorRecord(thrown)
  return code === 'STORAGE_FULL' || code === 'STORAGE_UNAVAILABLE'
}

function endsAttempt({ effects }: Transition): boolean {
  return effects.some((effect) => effect.kind === 'end-attempt')
}

type Published = Extract<StepOutcome, { kind: 'completed' }> & { result: { kind: 'file' } }

function isPublished(end: StepEnd): end is Published {
  return end.kind === 'completed' && end.result.kind === 'file'
}

function runningStep(task: Task, stepId: string): Step | null {
  const step = task.steps.find((candidate) => candidate.id === stepId)
  return step?.state === 'RUNNING' ? step : null
}
