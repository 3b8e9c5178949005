/** One task of three steps (video, audio, mux) in every state that it can be in, consistent in itself. */
import { SluiceError } from '../../src/shared/errors.ts'
import type { Attempt, Job, Pause, Step, StepState, Task } from '../../src/shared/task/model.ts'
import type { TransitionContext } from '../../src/core/transition/transition.ts'
import { sampleAttempt, sampleJob, sampleStep, sampleTask } from '../contracts/sample-task.ts'

export const now = 50_000

/** A context whose ids and ranks can be told apart from those of the task. */
export function testContext(overrides: Partial<TransitionContext> = {}): TransitionContext {
  let id = 0
  let head = 0
  let tail = 1000
  return {
    now,
    newId: () => `new${++id}`,
    headRank: () => --head,
    tailRank: () => ++tail,
    tracksAtOnce: 2,
    retryBudget: 5,
    ...overrides,
  }
}

export const notFound = new SluiceError('NOT_FOUND', 'nothing is there').toRecord()
export const trouble = new SluiceError('NETWORK_ERROR', 'the line is bad').toRecord()
const tooShort = new SluiceError('TOO_SHORT', 'it is much shorter than announced').toRecord()

export const pauses: Record<Pause['kind'], Pause> = {
  user: { kind: 'user', at: 1 },
  storage: {
    kind: 'storage',
    at: 1,
    firstAt: 1,
    folder: '/downloads',
    resumesByItself: true,
    error: trouble,
  },
  network: { kind: 'network', at: 1, resumeAt: 99_000, resumeTo: 'tail', failures: 6, error: trouble },
  source: { kind: 'source', at: 1, error: trouble },
  review: { kind: 'review', at: 1, error: tooShort },
  schedule: { kind: 'schedule', at: 1, resumeAt: null },
  crash: { kind: 'crash', at: 1, error: trouble },
}

function fetchStep(id: string, index: number, kind: Step['kind'], state: StepState): Step {
  const source = { url: `https://example.org/${id}`, headers: [], facts: null }
  const done = state === 'COMPLETED'
  return sampleStep('t', {
    id,
    fileId: 'film',
    index,
    kind,
    state,
    size: 1000,
    doneBytes: done ? 1000 : 400,
    fraction: done ? 1 : 0.4,
    input: { kind: 'fetch', source, checksum: null },
    output: done ? { path: `/downloads/.w/${id}`, size: 1000, identity: id } : null,
    checkpoint: done
      ? null
      : {
          kind: 'ranges',
          fileName: id,
          length: 1000,
          validator: null,
          finalUrl: source.url,
          ranges: [[0, 400]],
          fronts: [],
        },
  })
}

function muxStep(state: StepState): Step {
  const output = { path: '/downloads/film.mp4', size: 1900, identity: 'film' }
  return sampleStep('t', {
    id: 'mux',
    fileId: 'film',
    index: 2,
    stage: 1,
    kind: 'mux',
    state,
    preemptible: false,
    input: { kind: 'mux', inputs: [0, 1], container: 'mp4' },
    output: state === 'COMPLETED' ? output : null,
    doneBytes: state === 'COMPLETED' ? 1900 : 0,
  })
}

function film(video: StepState, audio: StepState, mux: StepState): Step[] {
  return [
    sampleStep('t', { id: 'resolve', state: 'COMPLETED', fraction: 1 }),
    fetchStep('video', 0, 'download-video', video),
    fetchStep('audio', 1, 'download-audio', audio),
    muxStep(mux),
  ]
}

function task(steps: Step[], overrides: Partial<Task>): Task {
  return sampleTask('t', {
    title: 'film.mp4',
    files: [{ id: 'film', index: 0, name: 'film.mp4', size: 2000, selected: true }],
    steps,
    rank: null,
    job: sampleJob('t', { startedAt: 1500 }),
    ...overrides,
  })
}

function ended(state: NonNullable<Job['end']>['state']): Partial<Task> {
  const end = {
    at: 3000,
    state,
    title: 'film.mp4',
    service: 'example.org',
    outputs: [],
    error: null,
    doneBytes: 0,
  }
  return { job: sampleJob('t', { startedAt: 1500, end }), finishedAt: 3000 }
}

const attempt: Attempt = sampleAttempt('t', 7)

export type StateName =
  | 'WAITING'
  | 'RUNNING'
  | 'MUXING'
  | `PAUSED_${Uppercase<Pause['kind']>}`
  | 'FAILED'
  | 'COMPLETED'
  | 'CANCELLED'

export const tasks: Record<StateName, Task> = {
  WAITING: task(film('WAITING', 'WAITING', 'WAITING'), { rank: 5 }),
  RUNNING: task(film('RUNNING', 'RUNNING', 'WAITING'), { attempt }),
  MUXING: task(film('COMPLETED', 'COMPLETED', 'RUNNING'), { attempt }),
  PAUSED_USER: task(film('COMPLETED', 'PAUSED', 'PAUSED'), { pause: pauses.user }),
  PAUSED_STORAGE: task(film('PAUSED', 'PAUSED', 'PAUSED'), { pause: pauses.storage }),
  PAUSED_NETWORK: task(film('PAUSED', 'PAUSED', 'PAUSED'), { pause: pauses.network }),
  PAUSED_SOURCE: task(film('PAUSED', 'PAUSED', 'PAUSED'), { pause: pauses.source }),
  PAUSED_REVIEW: task(
    film('PAUSED', 'PAUSED', 'PAUSED').map((step) =>
      step.id === 'video' ? { ...step, heldPause: pauses.review } : step,
    ),
    { pause: pauses.review },
  ),
  PAUSED_SCHEDULE: task(film('PAUSED', 'PAUSED', 'PAUSED'), { pause: pauses.schedule }),
  PAUSED_CRASH: task(film('PAUSED', 'PAUSED', 'PAUSED'), { pause: pauses.crash }),
  FAILED: task(
    film('FAILED', 'COMPLETED', 'WAITING').map((step) =>
      step.id === 'video' ? { ...step, error: notFound } : step,
    ),
    ended('FAILED'),
  ),
  COMPLETED: task(film('COMPLETED', 'COMPLETED', 'COMPLETED'), ended('COMPLETED')),
  CANCELLED: task(film('COMPLETED', 'CANCELLED', 'CANCELLED'), ended('CANCELLED')),
}

export function stepOf(task: Task, id: string): Step {
  const step = task.steps.find((candidate) => candidate.id === id)
  if (step === undefined) throw new Error(`there is no step ${id}`)
  return step
}
