import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { taskState } from '../../shared/task/derive.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { Request, Step, Task } from '../../shared/task/model.ts'
import type { StepOutcome } from '../../shared/worker-protocol.ts'
import { sampleStep } from '../../../test/contracts/sample-task.ts'
import { notFound, now, stepOf, tasks, testContext, trouble } from '../../../test/fakes/task-states.ts'
import type { StateName } from '../../../test/fakes/task-states.ts'
import type { StepEnd } from './step-end.ts'
import { stepEnded } from './outcome.ts'
import type { Effect } from './transition.ts'

const track: StepOutcome = {
  kind: 'completed',
  result: { kind: 'track', output: { path: '/w/x', size: 1000, identity: 'x' } },
}
const file: StepOutcome = {
  kind: 'completed',
  result: { kind: 'file', output: { path: '/downloads/film.mp4', size: 1900, identity: 'f' } },
}
const broken = new SluiceError('CHECKSUM_MISMATCH', 'not what it should be').toRecord()
const failed: StepOutcome = { kind: 'failed', error: broken }
const stopped: StepOutcome = { kind: 'paused', checkpoint: null, cause: null }
const pausedBy = (cause: Extract<StepOutcome, { kind: 'paused' }>['cause']): StepOutcome => ({
  kind: 'paused',
  checkpoint: null,
  cause,
})
const events: Record<string, StepEnd> = {
  completed: track,
  failed,
  skipped: { kind: 'skipped', error: broken },
  stopped,
  storage: pausedBy({ kind: 'storage', error: trouble, resumesByItself: true }),
  'network wait': pausedBy({ kind: 'network', error: trouble, retryAfterMs: 60_000, failures: 1 }),
  'network budget': pausedBy({ kind: 'network', error: trouble, retryAfterMs: null, failures: 6 }),
  source: pausedBy({ kind: 'source', error: trouble }),
  review: pausedBy({ kind: 'review', error: trouble }),
  stalled: { kind: 'stalled', error: trouble },
}

function kinds(effects: readonly Effect[]): string[] {
  return effects.map((effect) =>
    'stepIds' in effect ? `${effect.kind} ${effect.stepIds.join()}` : effect.kind,
  )
}

function alone(state: StateName): Task {
  // Only the video runs: its event decides what becomes of the task.
  const steps = tasks[state].steps.map((step): Step =>
    step.id === 'audio' ? { ...step, state: step.state === 'RUNNING' ? 'COMPLETED' : step.state } : step,
  )
  return { ...tasks[state], steps }
}

/** Only the mux runs. */
const muxing = tasks.MUXING

/** The table of docs/task-model.md: what is written there is what happens. */
function documentedEvents(): Map<string, { download: string; mux: string }> {
  const text = readFileSync(new URL('../../../docs/task-model.md', import.meta.url), 'utf8')
  const table = text.slice(text.search(/^\| event\s+\|/m))
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2)
  return new Map(
    rows.map((row) => {
      const [name = '', download = '', mux = ''] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      return [name, { download, mux }]
    }),
  )
}

describe('the events of a step that runs alone', () => {
  const documented = documentedEvents()
  const follows: Record<string, [string[], string[]]> = {
    completed: [['start-steps mux'], ['end-attempt']],
    failed: [['end-attempt'], ['end-attempt']],
    skipped: [['end-attempt'], ['end-attempt']],
    stopped: [['start-steps video'], ['start-steps mux']],
    storage: [['end-attempt'], ['end-attempt']],
    'network wait': [['end-attempt'], ['end-attempt']],
    'network budget': [['end-attempt'], ['end-attempt']],
    source: [['start-steps resolve'], ['end-attempt']],
    review: [['end-attempt'], ['end-attempt']],
    stalled: [['start-steps video'], ['end-attempt']],
  }

  test('are all in the table', () => {
    expect([...documented.keys()].toSorted()).toEqual(Object.keys(events).toSorted())
  })

  for (const [name, [afterDownload, afterMux]] of Object.entries(follows)) {
    test(`${name} leaves the task as the table says`, () => {
      const event = events[name]
      if (event === undefined) throw new Error(`there is no event ${name}`)
      const download = stepEnded(alone('RUNNING'), 'video', event, testContext())
      expect(taskState(download.task)).toBe(documented.get(name)?.download)
      expect(kinds(download.effects)).toEqual(afterDownload)
      const mux = stepEnded(muxing, 'mux', name === 'completed' ? file : event, testContext())
      expect(taskState(mux.task)).toBe(documented.get(name)?.mux)
      expect(kinds(mux.effects)).toEqual(afterMux)
    })
  }
})

describe('state × event', () => {
  const resting = Object.keys(tasks).filter(
    (state) => state !== 'RUNNING' && state !== 'MUXING',
  ) as StateName[]
  for (const state of resting) {
    for (const [name, event] of Object.entries(events)) {
      test(`${name} changes nothing of a step that does not run (${state})`, () => {
        for (const id of ['video', 'audio', 'mux', 'nobody']) {
          expect(stepEnded(tasks[state], id, event, testContext()).task).toEqual(tasks[state])
        }
      })
    }
  }

  const requests: Request[] = [
    { kind: 'pause', at: 1 },
    { kind: 'requeue', at: 1, rank: -4 },
    { kind: 'exit', at: 1, rank: -4 },
    { kind: 'cancel', at: 1 },
    { kind: 'redownload', at: 1 },
    { kind: 'delete', at: 1, deleteFiles: false, purgeAt: 9 },
  ]
  for (const request of requests) {
    for (const [name, event] of Object.entries(events)) {
      test(`${name} while ${request.kind} is pending starts nothing more`, () => {
        const asked = { ...alone('RUNNING'), request }
        const transition = stepEnded(asked, 'video', event, testContext())
        expect(kinds(transition.effects).filter((effect) => effect.startsWith('start'))).toEqual([])
        expect(kinds(transition.effects)).toContain('end-attempt')
      })
    }
  }
})

describe('the last step that is asked to stop', () => {
  test('leaves the task paused with its checkpoint', () => {
    const asked: Task = { ...alone('RUNNING'), request: { kind: 'pause', at: 1 } }
    const { task } = stepEnded(asked, 'video', stopped, testContext())
    expect(task).toMatchObject({ pause: { kind: 'user' }, request: null })
    expect(stepOf(task, 'video').checkpoint).toEqual(stepOf(tasks.RUNNING, 'video').checkpoint)
    expect(stepOf(task, 'audio').state).toBe('COMPLETED')
  })

  test('returns to the rank that was reserved for it', () => {
    const asked: Task = { ...alone('RUNNING'), request: { kind: 'requeue', at: 1, rank: -4 } }
    expect(stepEnded(asked, 'video', stopped, testContext()).task).toMatchObject({ rank: -4, request: null })
  })

  test('counts as running until the end of the process was observed, when files are at stake', () => {
    for (const kind of ['cancel', 'redownload'] as const) {
      const asked: Task = { ...alone('RUNNING'), request: { kind, at: 1 } }
      const { task } = stepEnded(asked, 'video', stopped, testContext())
      expect(taskState(task)).toBe('RUNNING')
      expect(task.request?.kind).toBe(kind)
    }
  })
})

test('a failure that meets a pause is the truth when nothing else could run', () => {
  const asked: Task = { ...alone('RUNNING'), request: { kind: 'pause', at: 1 } }
  const { task } = stepEnded(asked, 'video', failed, testContext())
  expect(taskState(task)).toBe('FAILED')
  expect(task.request).toBeNull()
})

describe('the error boundary', () => {
  test('stops siblings before the failure is committed', () => {
    const first = stepEnded(tasks.RUNNING, 'video', failed, testContext())
    expect(taskState(first.task)).toBe('RUNNING')
    expect(kinds(first.effects)).toEqual(['stop-steps audio'])
    const second = stepEnded(first.task, 'audio', stopped, testContext())
    expect(taskState(second.task)).toBe('FAILED')
    expect(stepOf(second.task, 'video').error?.code).toBe('CHECKSUM_MISMATCH')
    expect(stepOf(second.task, 'audio')).toMatchObject({ state: 'WAITING', doneBytes: 400 })
  })

  test('invariant 10: no later step of a failed file starts', () => {
    const muxFailed = stepEnded(tasks.MUXING, 'mux', failed, testContext())
    expect(kinds(muxFailed.effects)).toEqual(['end-attempt'])
    expect(taskState(muxFailed.task)).toBe('FAILED')
  })

  test('an optional step that fails is skipped, and the mux goes on without it', () => {
    const steps = alone('RUNNING').steps.map((step) =>
      step.id === 'video' ? { ...step, optional: true } : step,
    )
    const transition = stepEnded({ ...alone('RUNNING'), steps }, 'video', failed, testContext())
    expect(stepOf(transition.task, 'video')).toMatchObject({ state: 'SKIPPED', error: broken })
    expect(kinds(transition.effects)).toEqual(['start-steps mux'])
  })
})

/** Plain files, one step each; the first `running` of them run. */
function list(count: number, running: number): Task {
  const files = Array.from({ length: count }, (_, index) => ({
    id: `f${index}`,
    index,
    name: `${index}.bin`,
    size: 1000,
    selected: true,
  }))
  const steps = files.map((entry, index) =>
    sampleStep('t', {
      id: `s${index}`,
      fileId: entry.id,
      kind: 'download',
      state: index < running ? 'RUNNING' : 'WAITING',
      input: {
        kind: 'fetch',
        source: { url: `https://example.org/${index}`, headers: [], facts: null },
        checksum: null,
      },
    }),
  )
  const resolve = sampleStep('t', { id: 'resolve', state: 'COMPLETED' })
  return { ...tasks.RUNNING, files, steps: [resolve, ...steps] }
}

/** Lets every step end as told, in the order in which the attempt starts them. */
function runThrough(task: Task, endOf: (stepId: string) => StepEnd): { task: Task; ran: string[] } {
  const ran: string[] = []
  let current = task
  for (;;) {
    const running = current.steps.find((step) => step.state === 'RUNNING')
    if (running === undefined) return { task: current, ran }
    ran.push(running.id)
    current = stepEnded(current, running.id, endOf(running.id), testContext()).task
  }
}

describe('a task of many files', () => {
  test('invariant 27: entry 3 of 100 fails and the other 99 arrive', () => {
    const { task, ran } = runThrough(list(100, 1), (id) => (id === 's2' ? failed : file))
    expect(ran).toHaveLength(100)
    expect(task.steps.filter((step) => step.state === 'COMPLETED')).toHaveLength(100)
    expect(taskState(task)).toBe('FAILED')
    expect(stepOf(task, 's2')).toMatchObject({ state: 'FAILED', error: broken })
  })

  test('with a held pause and a held failure is paused, and the failure stays held', () => {
    const review = events['review'] ?? failed
    const { task } = runThrough(list(4, 1), (id) => (id === 's0' ? failed : id === 's1' ? review : file))
    expect(taskState(task)).toBe('PAUSED')
    expect(task.pause?.kind).toBe('review')
    expect(stepOf(task, 's0')).toMatchObject({ state: 'PAUSED', error: broken })
    expect(stepOf(task, 's3').state).toBe('COMPLETED')
  })

  test('stops as a whole when the disk is full', () => {
    const storage = events['storage'] ?? failed
    const { task, ran } = runThrough(list(4, 1), () => storage)
    expect(ran).toEqual(['s0'])
    expect(task.pause).toMatchObject({ kind: 'storage', firstAt: now, folder: '/downloads' })
    expect(task.storagePausedSince).toBe(now)
  })

  test('B7 runs a file that was selected during the run, whatever its index', () => {
    const task = list(3, 0)
    const files = task.files.map((entry) => ({ ...entry, selected: entry.index !== 0 }))
    const steps = task.steps.map((step): Step => (step.id === 's1' ? { ...step, state: 'RUNNING' } : step))
    const live: Task = {
      ...task,
      files,
      steps,
      request: { kind: 'select', at: 1, selected: ['f0', 'f2'], thenPause: false },
    }
    const transition = stepEnded(live, 's1', stopped, testContext())
    expect(transition.task.files.map((entry) => entry.selected)).toEqual([true, false, true])
    expect(kinds(transition.effects)).toEqual(['start-steps s0'])
  })
})

describe('a network pause', () => {
  test('with a time the host named returns to the head', () => {
    const { task } = stepEnded(alone('RUNNING'), 'video', events['network wait'] ?? failed, testContext())
    expect(task.pause).toMatchObject({ resumeAt: now + 60_000, resumeTo: 'head' })
    expect(task.networkPauses).toBe(0)
  })

  test('with a used-up budget doubles from one minute to an hour', () => {
    const waits = [0, 1, 2, 5, 6, 20].map((networkPauses) => {
      const before = { ...alone('RUNNING'), networkPauses }
      const { task } = stepEnded(before, 'video', events['network budget'] ?? failed, testContext())
      expect(task.networkPauses).toBe(networkPauses + 1)
      return task.pause?.kind === 'network' ? (task.pause.resumeAt ?? 0) - now : 0
    })
    expect(waits).toEqual([60_000, 120_000, 240_000, 1_920_000, 3_600_000, 3_600_000])
  })
})

describe('a stalled step', () => {
  test('of a download is tried again until its budget is used up, then the task pauses', () => {
    let task = alone('RUNNING')
    for (let stall = 1; stall <= 5; stall++) {
      task = stepEnded(task, 'video', { kind: 'stalled', error: trouble }, testContext()).task
      expect(stepOf(task, 'video')).toMatchObject({ state: 'RUNNING', failures: stall })
    }
    task = stepEnded(task, 'video', { kind: 'stalled', error: trouble }, testContext()).task
    expect(task.pause).toMatchObject({ kind: 'network', resumeTo: 'tail' })
  })

  test('of a mux fails', () => {
    const { task } = stepEnded(tasks.MUXING, 'mux', { kind: 'stalled', error: trouble }, testContext())
    expect(taskState(task)).toBe('FAILED')
  })
})

describe('a link that a resolver made', () => {
  const expired: StepEnd = {
    kind: 'paused',
    checkpoint: null,
    cause: { kind: 'source', error: new SluiceError('LINK_EXPIRED', 'too old').toRecord() },
  }
  const gone: StepEnd = { kind: 'failed', error: notFound }

  function planFor(task: Task, url: string, steps = 3): StepEnd {
    const planned = task.steps.slice(1, 1 + steps).map((step) => ({
      kind: step.kind,
      stage: step.stage,
      optional: step.optional,
      label: step.label,
      weight: step.weight,
      size: step.size,
      input:
        step.input.kind === 'fetch'
          ? { ...step.input, source: { url: `${url}/${step.id}`, headers: [], facts: null } }
          : step.input,
    }))
    const files = [{ name: 'film.mp4', size: null, selected: true, steps: planned }]
    return {
      kind: 'completed',
      result: { kind: 'plan', plan: { title: 'film.mp4', service: 'example.org', files } },
    }
  }

  test('and is refused is made anew once, and the step goes on where it was', () => {
    for (const end of [expired, gone]) {
      const asked = stepEnded(alone('RUNNING'), 'video', end, testContext())
      expect(kinds(asked.effects)).toEqual(['start-steps resolve'])
      const fresh = stepEnded(asked.task, 'resolve', planFor(asked.task, 'https://fresh.test'), testContext())
      expect(kinds(fresh.effects)).toEqual(['start-steps video'])
      const video = stepOf(fresh.task, 'video')
      expect(video).toMatchObject({
        state: 'RUNNING',
        askedAgain: true,
        input: { source: { url: 'https://fresh.test/video' } },
      })
      expect(video.checkpoint).toEqual(stepOf(tasks.RUNNING, 'video').checkpoint)
      const again = stepEnded(fresh.task, 'video', end, testContext())
      expect(taskState(again.task)).toBe(end === gone ? 'FAILED' : 'PAUSED')
    }
  })

  test('and cannot be made anew leaves the old plan, and the next answer counts', () => {
    const answers: StepEnd[] = [failed, planFor(tasks.RUNNING, 'https://other.test', 1)]
    for (const answer of answers) {
      const asked = stepEnded(alone('RUNNING'), 'video', expired, testContext())
      const old = stepEnded(asked.task, 'resolve', answer, testContext())
      expect(kinds(old.effects)).toEqual(['start-steps video'])
      expect(old.task.steps.map((step) => step.id)).toEqual(tasks.RUNNING.steps.map((step) => step.id))
      const { task } = stepEnded(old.task, 'video', expired, testContext())
      expect(task.pause?.kind).toBe('source')
    }
  })

  test("is not asked for when the link is the user's own", () => {
    const own: Task = {
      ...alone('RUNNING'),
      parameters: {
        ...tasks.RUNNING.parameters,
        link: { kind: 'single', url: 'https://example.org/video' },
      },
    }
    expect(stepEnded(own, 'video', expired, testContext()).task.pause?.kind).toBe('source')
  })
})

test('invariant 4: a job ends once, with the outcome of the task', () => {
  const { task } = stepEnded(tasks.MUXING, 'mux', file, testContext())
  expect(task.job).toMatchObject({
    id: tasks.MUXING.job.id,
    end: { at: now, state: 'COMPLETED', outputs: ['/downloads/film.mp4'], error: null },
  })
  expect(task.finishedAt).toBe(now)
})
