/**
 * A list with a task in every state that would take hours, a full disk or a broken host to come by: written into the
 * database of a host that is not running, as the host itself would have left it.
 */
import path from 'node:path'
import { SqliteTaskStore } from '../src/adapters/store/sqlite-task-store.ts'
import type { ErrorCode, ErrorRecord } from '../src/shared/errors.ts'
import type { Pause, Step, StepState, Task } from '../src/shared/task/model.ts'
import { sampleJob, sampleStep, sampleTask } from '../test/contracts/sample-task.ts'

const minute = 60_000
const megabyte = 1_000_000

interface Sample {
  id: string
  title: string
  host: string
  /** files of one plain step each, or one file of a video and an audio track */
  shape: 'plain' | 'pair' | { files: number }
  /** bytes of the whole */
  size: number
  /** 0–1 of the whole, for tasks that have not ended */
  done: number
  /** minutes since it was added */
  age: number
  state: 'PAUSED' | 'FAILED' | 'COMPLETED'
  pause?: Pause
  error?: ErrorRecord
}

function trouble(code: ErrorCode, details: NonNullable<ErrorRecord['details']> = {}): ErrorRecord {
  return { code, message: 'As the host said', hint: 'As the host advised.', details }
}

/** The pauses of the samples, newest task first. */
function samples(folder: string, now: number): Sample[] {
  const at = now - 20 * minute
  return [
    {
      ...{ id: 'lecture', title: 'Distributed Systems, lecture 7: Consistency models.mp4', age: 3 },
      ...{ host: 'video.campus.example', shape: 'pair', size: 5360 * megabyte, done: 0.53 },
      ...{ state: 'PAUSED', pause: { kind: 'user', at } },
    },
    {
      ...{ id: 'talks', title: 'Systems Meetup 2025, all talks', host: 'talks.meetup.example', age: 4 },
      ...{ shape: { files: 24 }, size: 28_600 * megabyte, done: 0.27, state: 'PAUSED' },
      pause: {
        ...{ kind: 'network', at, resumeAt: now + 45 * minute, resumeTo: 'tail', failures: 6 },
        error: trouble('TIMEOUT'),
      },
    },
    {
      ...{ id: 'harbour', title: 'Harbour time-lapse, week 23, uncut.mov', age: 5 },
      ...{ host: 'footage.site.example', shape: 'pair', size: 7480 * megabyte, done: 0.65, state: 'PAUSED' },
      pause: {
        ...{ kind: 'storage', at, firstAt: at, folder, resumesByItself: false },
        error: trouble('STORAGE_FULL', { neededBytes: 2100 * megabyte }),
      },
    },
    {
      ...{ id: 'flow', title: 'Algorithms II, lecture 12: Maximum flow.mp4', age: 6 },
      ...{ host: 'video.campus.example', shape: 'plain', size: 1340 * megabyte, done: 0.61, state: 'PAUSED' },
      pause: { kind: 'source', at, error: trouble('LINK_EXPIRED') },
    },
    {
      ...{ id: 'panel', title: 'Panel: Storage that outlives its vendor.mp4', age: 7 },
      ...{ host: 'talks.meetup.example', shape: 'pair', size: 9.7 * megabyte, done: 0.9, state: 'PAUSED' },
      pause: { kind: 'review', at, error: trouble('TOO_SHORT', { seconds: 12, expectedSeconds: 2880 }) },
    },
    {
      ...{ id: 'slides', title: 'Compilers, lecture 3, slides.pdf', host: 'video.campus.example', age: 8 },
      ...{ shape: 'plain', size: 0, done: 0, state: 'FAILED', error: trouble('NOT_FOUND', { status: 404 }) },
    },
    {
      ...{ id: 'reeds', title: 'Field recording, reed bed at dawn.flac', age: 90 },
      ...{
        host: 'sounds.archive.example',
        shape: 'plain',
        size: 212 * megabyte,
        done: 1,
        state: 'COMPLETED',
      },
    },
  ]
}

function stepOf(sample: Sample, fileId: string, index: number, share: number, done: number): Step {
  const size = Math.round(sample.size * share)
  const doneBytes = Math.round(size * done)
  const state: StepState = done === 1 ? 'COMPLETED' : sample.state
  const url = `https://${sample.host}/${fileId}`
  const ranges: [number, number][] = doneBytes > 0 ? [[0, doneBytes]] : []
  return sampleStep(sample.id, {
    ...{ id: `${fileId}-${index}`, fileId, index, stage: 1, state, weight: Math.max(1, size) },
    ...{ size: size === 0 ? null : size, doneBytes, fraction: done, error: sample.error ?? null },
    kind: sample.shape !== 'pair' ? 'download' : index === 0 ? 'download-video' : 'download-audio',
    input: { kind: 'fetch', source: { url, headers: [], facts: null }, checksum: null },
    checkpoint: {
      ...{ kind: 'ranges', fileName: fileId, length: size, validator: null, finalUrl: url },
      ...{ ranges, fronts: [] },
    },
  })
}

function muxOf(sample: Sample, fileId: string): Step {
  return sampleStep(sample.id, {
    ...{ id: `${fileId}-mux`, fileId, index: 2, stage: 2, kind: 'mux', state: sample.state },
    ...{ weight: sample.size / 9, preemptible: false },
    input: { kind: 'mux', inputs: [0, 1], container: 'mp4' },
  })
}

function filesOf(sample: Sample): Pick<Task, 'files' | 'steps'> {
  const own = sampleStep(sample.id, { state: 'COMPLETED', fraction: 1 })
  if (sample.size === 0) {
    return {
      files: [],
      steps: [sampleStep(sample.id, { state: 'FAILED', error: sample.error ?? null })],
    }
  }
  const count = typeof sample.shape === 'object' ? sample.shape.files : 1
  const files = Array.from({ length: count }, (_, index) => ({
    ...{ id: `${sample.id}-${index}`, index, size: Math.round(sample.size / count), selected: true },
    name: count === 1 ? sample.title : `${String(index + 1).padStart(2, '0')} talk.mp4`,
  }))
  const steps = files.flatMap((file) => {
    if (sample.shape === 'pair') {
      const video = stepOf(sample, file.id, 0, 0.95, sample.done)
      return [video, stepOf(sample, file.id, 1, 0.05, 1), muxOf(sample, file.id)]
    }
    const reached = Math.min(1, Math.max(0, sample.done * count - file.index))
    return [stepOf(sample, file.id, 0, 1 / count, reached)]
  })
  return { files, steps: [own, ...steps] }
}

function taskOf(sample: Sample, folder: string, now: number): Task {
  const createdAt = now - sample.age * minute
  const hasEnded = sample.state !== 'PAUSED'
  const endedAt = createdAt + minute
  const task = sampleTask(sample.id)
  const output = path.join(folder, sample.title)
  const { files, steps } = filesOf(sample)
  const published = { path: output, size: sample.size, identity: sample.id }
  return {
    ...task,
    ...{ title: sample.title, service: sample.host, createdAt, pause: sample.pause ?? null, rank: null },
    parameters: {
      ...task.parameters,
      link: { kind: 'single', url: `https://${sample.host}/${sample.id}` },
      folder,
    },
    files,
    steps: steps.map((step) =>
      step.kind === 'download' && step.state === 'COMPLETED' ? { ...step, output: published } : step,
    ),
    finishedAt: hasEnded ? endedAt : null,
    job: sampleJob(sample.id, {
      ...{ createdAt, startedAt: createdAt },
      end:
        sample.state === 'PAUSED'
          ? null
          : {
              ...{ at: endedAt, state: sample.state, title: sample.title, service: sample.host },
              ...{ outputs: sample.state === 'COMPLETED' ? [output] : [], error: sample.error ?? null },
              doneBytes: sample.size,
            },
    }),
  }
}

/** Titles by which the screens find their rows. */
export const showcase = {
  paused: 'Distributed Systems, lecture 7: Consistency models.mp4',
  list: 'Systems Meetup 2025, all talks',
  storage: 'Harbour time-lapse, week 23, uncut.mov',
  expired: 'Algorithms II, lecture 12: Maximum flow.mp4',
  review: 'Panel: Storage that outlives its vendor.mp4',
  failed: 'Compilers, lecture 3, slides.pdf',
  completed: 'Field recording, reed bed at dawn.flac',
} as const

/** Writes the samples into a data folder that no host uses now. */
export async function writeShowcase(dataFolder: string, folder: string): Promise<void> {
  const store = await SqliteTaskStore.open({ dataFolder })
  const now = Date.now()
  await store.commit(
    samples(folder, now).map((sample) => ({ kind: 'put-task', task: taskOf(sample, folder, now) })),
  )
  await store.close()
}
