/**
 * The seam between the worker process (which speaks the protocol) and the code that carries out one step.
 * Executors know nothing of attempts, tokens or sequence numbers.
 */
import type { Checkpoint } from '../shared/task/resource.ts'
import type { StepLimits, StepOrder, StepOutcome, WorkerMessage } from '../shared/worker-protocol.ts'

type Progress = Extract<WorkerMessage, { kind: 'progress' }>['steps'][number]
type Facts = Extract<WorkerMessage, { kind: 'facts' }>

export type StepProgress = Omit<Progress, 'stepId'>
export type StepFacts = Pick<Facts, 'preemptible' | 'resource' | 'suggestedName'>

/** Why a step is being stopped: `checkpoint` keeps what arrived, `discard` gives it up. */
export type StopHow = 'checkpoint' | 'discard'

export type PublishAnswer = { kind: 'publish'; to: string } | { kind: 'refused' }

export interface StepContext {
  readonly stepId: string
  /** failures in a row before this run, without new durable bytes */
  readonly failures: number
  /** aborted when the step has to stop; `signal.reason` is a `StopHow` */
  readonly signal: AbortSignal
  limits(): StepLimits
  /** Returns the function that ends the subscription. */
  onLimits(listener: (limits: StepLimits) => void): () => void
  /** The latest figures; the worker sends them at its own rate, so this may be called as often as is handy. */
  reportProgress(progress: StepProgress): void
  /** Only after the data it names is durable. */
  reportCheckpoint(checkpoint: Checkpoint): void
  reportFacts(facts: StepFacts): void
  /**
   * Asks for leave to give the verified, synced file `from` its name. `takenPath` is the name granted before
   * that turned out to exist.
   */
  requestPublish(from: string, takenPath: string | null): Promise<PublishAnswer>
  /** Resolves when the leader of a process group is recorded in the attempt: only then may it be used. */
  recordChild(pid: number): Promise<void>
}

/** Carries out one order. Never rejects for what the world does (that is an outcome), only for our own faults. */
export type StepExecutor<K extends StepOrder['kind']> = (
  order: Extract<StepOrder, { kind: K }>,
  checkpoint: Checkpoint | null,
  context: StepContext,
) => Promise<StepOutcome>
