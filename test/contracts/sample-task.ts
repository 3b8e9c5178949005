/** A whole, valid task for tests that need one and do not care which. */
import type { Attempt, Job, Step, Task } from '../../src/shared/task/model.ts'
import { taskSchema } from '../../src/shared/task/model.ts'

export function sampleJob(taskId: string, overrides: Partial<Job> = {}): Job {
  return { id: `job-${taskId}`, taskId, number: 1, createdAt: 1000, startedAt: null, end: null, ...overrides }
}

export function sampleAttempt(taskId: string, token: number): Attempt {
  return {
    id: `attempt-${token}`,
    jobId: `job-${taskId}`,
    taskId,
    token,
    startedAt: 2000,
    worker: { pid: 4242, startTime: '1' },
    children: [],
    end: null,
  }
}

export function sampleStep(taskId: string, overrides: Partial<Step> = {}): Step {
  return {
    id: `step-${taskId}`,
    fileId: null,
    index: 0,
    kind: 'resolve',
    stage: 0,
    optional: false,
    label: '',
    weight: 1,
    input: { kind: 'resolve' },
    state: 'WAITING',
    doneBytes: 0,
    size: null,
    fraction: 0,
    preemptible: true,
    checkpoint: null,
    publishing: null,
    output: null,
    error: null,
    heldPause: null,
    failures: 0,
    askedAgain: false,
    ...overrides,
  }
}

/** Parsed by the schema, so that a sample never drifts from the model. */
export function sampleTask(id: string, overrides: Partial<Task> = {}): Task {
  return taskSchema.parse({
    id,
    createdAt: 1000,
    title: `Task ${id}`,
    service: 'example.org',
    parameters: {
      link: { kind: 'single', url: `https://example.org/${id}` },
      folder: '/downloads',
      name: null,
      headers: [],
      connections: null,
      speedLimitBytesPerSecond: null,
      checksum: null,
      proxy: null,
      direct: false,
    },
    files: [],
    steps: [sampleStep(id)],
    job: sampleJob(id),
    attempt: null,
    request: null,
    pause: null,
    rank: 1,
    overLimit: false,
    crashes: 0,
    uncleanEnds: 0,
    networkPauses: 0,
    storagePausedSince: null,
    retryOf: null,
    finishedAt: null,
    ...overrides,
  })
}
