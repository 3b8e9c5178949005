import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SluiceError } from '../shared/errors.ts'
import type { HostMessage, StepOutcome, WorkerMessage } from '../shared/worker-protocol.ts'
import { workerMessageSchema } from '../shared/worker-protocol.ts'
import { Attempt } from './attempt.ts'
import type { Executors } from './attempt.ts'
import { hostNews } from './host-news.ts'
import type { StepContext } from './step-executor.ts'

type RunStep = Extract<HostMessage, { kind: 'run-step' }>

const address = { attemptId: 'attempt', token: 5 }
const limits = { connections: 4, bytesPerSecond: null, retryBudget: 5, stallTimeoutMs: 1000 }
const paused: StepOutcome = { kind: 'paused', checkpoint: null, cause: null }

function order(stepId: string): RunStep {
  return {
    kind: 'run-step',
    ...address,
    stepId,
    order: {
      kind: 'mux',
      workingFolder: '/w',
      fileName: 'f',
      tracks: [],
      container: null,
      ffmpegPath: null,
      publishTo: '/out',
    },
    checkpoint: null,
    failures: 2,
    limits,
  }
}

/** An attempt whose steps do what the test says; what it sends is checked against the protocol. */
function attemptOf(step: (context: StepContext) => Promise<StepOutcome>) {
  const sent: WorkerMessage[] = []
  const unused = () => Promise.reject(new Error('not ordered'))
  const executors: Executors = {
    resolve: unused,
    fetch: unused,
    mux: (_order, _checkpoint, context) => step(context),
  }
  const attempt = new Attempt(order('a'), executors, (message) =>
    sent.push(workerMessageSchema.parse(message)),
  )
  const ofKind = (kind: WorkerMessage['kind']) => sent.filter((message) => message.kind === kind)
  return { attempt, sent, ofKind }
}

const untilStopped = (context: StepContext) =>
  new Promise<StepOutcome>((resolve) => {
    context.signal.addEventListener('abort', () => resolve(paused))
  })

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('an attempt in the worker', () => {
  it('that was let go says so when nothing of it is left, and nothing else', async () => {
    const { attempt, sent } = attemptOf(untilStopped)
    attempt.handle(order('a'))
    attempt.handle({ kind: 'end-attempt', ...address })
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(sent.map((message) => message.kind)).toEqual(['ended'])
    const idle = attemptOf(untilStopped)
    idle.attempt.handle({ kind: 'end-attempt', ...address })
    expect(idle.sent.map((message) => message.kind)).toEqual(['ended'])
  })

  it('says with an outcome whether another step is at work', async () => {
    const { attempt, ofKind } = attemptOf(untilStopped)
    for (const stepId of ['a', 'b']) attempt.handle(order(stepId))
    for (const stepId of ['a', 'b']) {
      attempt.handle({ kind: 'stop-steps', ...address, stepIds: [stepId], how: 'checkpoint' })
      await vi.advanceTimersByTimeAsync(0)
    }
    expect(ofKind('outcome')).toMatchObject([
      { stepId: 'a', isLast: false },
      { stepId: 'b', isLast: true },
    ])
  })

  it('tells no figures of a step that was over before they were due', async () => {
    const { attempt, sent } = attemptOf((context) => {
      const figures = { size: null, fraction: 0, bytesPerSecond: 0, activity: 'connecting' as const }
      context.reportProgress({ doneBytes: 1, ...figures })
      return Promise.resolve(paused)
    })
    attempt.handle(order('a'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent.map((message) => message.kind)).toEqual(['outcome'])
  })

  it('tells what was learnt of hosts once, at the latest with the outcome', async () => {
    const limits = { refusals: new Map([['http://host.test:81', { connections: 3, atMs: 0 }]]) }
    const sent: WorkerMessage[] = []
    const executors: Executors = {
      ...{ resolve: () => Promise.resolve(paused), fetch: () => Promise.resolve(paused) },
      mux: () => Promise.resolve(paused),
    }
    const send = (message: unknown) => sent.push(workerMessageSchema.parse(message))
    const attempt = new Attempt(order('a'), executors, send, hostNews(limits))
    for (const stepId of ['a', 'b']) attempt.handle(order(stepId))
    await vi.advanceTimersByTimeAsync(1)
    expect(sent.filter((message) => message.kind === 'host-limit')).toMatchObject([
      { host: 'host.test:81', connections: 3 },
    ])
    expect(sent.at(-1)?.kind).toBe('outcome')
  })

  it('is heard every two seconds while nothing changes, until it ends', async () => {
    const { attempt, ofKind } = attemptOf(untilStopped)
    attempt.handle(order('a'))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(ofKind('heartbeat')).toHaveLength(5)
    attempt.handle({ kind: 'end-attempt', ...address })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(ofKind('heartbeat')).toHaveLength(5)
  })

  it('numbers its reports from one without a gap and repeats whose they are', async () => {
    const { attempt, sent } = attemptOf(async (context) => {
      context.reportFacts({ preemptible: true, resource: null, suggestedName: null })
      return untilStopped(context)
    })
    attempt.handle(order('a'))
    await vi.advanceTimersByTimeAsync(4_000)
    attempt.handle({ kind: 'stop-steps', ...address, stepIds: ['a'], how: 'checkpoint' })
    await vi.advanceTimersByTimeAsync(0)
    expect(sent.map((message) => message.kind)).toEqual(['facts', 'heartbeat', 'heartbeat', 'outcome'])
    expect(sent.map((message) => message.seq)).toEqual([1, 2, 3, 4])
    for (const message of sent) expect(message).toMatchObject(address)
  })

  it('tells progress of all steps in one message, at most ten times a second, and the last of it', async () => {
    const contexts: StepContext[] = []
    const { attempt, ofKind } = attemptOf((context) => {
      contexts.push(context)
      return untilStopped(context)
    })
    attempt.handle(order('a'))
    attempt.handle(order('b'))
    const report = (doneBytes: number) => {
      for (const context of contexts) {
        context.reportProgress({
          doneBytes,
          size: null,
          fraction: 0,
          bytesPerSecond: 0,
          activity: 'transferring',
        })
      }
    }
    for (let ms = 0; ms < 1_000; ms += 5) {
      report(ms)
      await vi.advanceTimersByTimeAsync(5)
    }
    expect(ofKind('progress').length).toBeLessThanOrEqual(10)
    expect(ofKind('progress')[0]).toMatchObject({ steps: [{ stepId: 'a' }, { stepId: 'b' }] })
    report(7_777)
    attempt.handle({ kind: 'stop-steps', ...address, stepIds: ['a'], how: 'discard' })
    await vi.advanceTimersByTimeAsync(0)
    expect(ofKind('progress').at(-1)).toMatchObject({ steps: [{ doneBytes: 7_777 }, { doneBytes: 7_777 }] })
  })

  it('stops the named steps only, and says how', async () => {
    const reasons = new Map<string, unknown>()
    const { attempt, ofKind } = attemptOf(async (context) => {
      const outcome = await untilStopped(context)
      reasons.set(context.stepId, context.signal.reason)
      return outcome
    })
    attempt.handle(order('a'))
    attempt.handle(order('b'))
    attempt.handle({ kind: 'stop-steps', ...address, stepIds: ['b', 'unknown'], how: 'discard' })
    await vi.advanceTimersByTimeAsync(0)
    expect(ofKind('outcome')).toEqual([expect.objectContaining({ stepId: 'b', outcome: paused })])
    expect(reasons).toEqual(new Map([['b', 'discard']]))
  })

  it('passes on limits, the failures so far, leave to publish and the record of a child', async () => {
    const seen: unknown[] = []
    const { attempt, ofKind } = attemptOf(async (context) => {
      seen.push(context.failures)
      const end = context.onLimits((changed) => seen.push(changed.connections))
      await context.recordChild(77)
      end()
      seen.push(await context.requestPublish('/w/f', null))
      seen.push(await context.requestPublish('/w/f', '/out'))
      return paused
    })
    attempt.handle(order('a'))
    attempt.handle({ kind: 'set-limits', ...address, limits: { ...limits, connections: 2 } })
    attempt.handle({ kind: 'child-recorded', ...address, pid: 1 })
    await vi.advanceTimersByTimeAsync(0)
    expect(ofKind('ready')).toEqual([])
    attempt.handle({ kind: 'child-recorded', ...address, pid: 77 })
    await vi.advanceTimersByTimeAsync(0)
    attempt.handle({ kind: 'set-limits', ...address, limits: { ...limits, connections: 3 } })
    attempt.handle({ kind: 'publish', ...address, stepId: 'a', to: '/out' })
    await vi.advanceTimersByTimeAsync(0)
    attempt.handle({ kind: 'publish-refused', ...address, stepId: 'a' })
    await vi.advanceTimersByTimeAsync(0)
    expect(seen).toEqual([2, 2, { kind: 'publish', to: '/out' }, { kind: 'refused' }])
    expect(ofKind('ready').map((message) => 'takenPath' in message && message.takenPath)).toEqual([
      null,
      '/out',
    ])
    expect(ofKind('outcome')).toHaveLength(1)
  })

  it('a step that throws has failed: by its code, or as a fault of ours whose text stays inside', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const thrown = [new SluiceError('STORAGE_FULL', 'No space'), new Error('secret detail')]
    const { attempt, ofKind, sent } = attemptOf(() => Promise.reject(thrown.shift() ?? new Error()))
    attempt.handle(order('a'))
    attempt.handle(order('b'))
    await vi.advanceTimersByTimeAsync(0)
    expect(ofKind('outcome')).toMatchObject([
      { outcome: { kind: 'failed', error: { code: 'STORAGE_FULL' } } },
      { outcome: { kind: 'failed', error: { code: 'INTERNAL' } } },
    ])
    expect(JSON.stringify(sent)).not.toContain('secret detail')
    expect(written.mock.calls.join()).toContain('secret detail')
    written.mockRestore()
  })

  it('runs a step once, however often it is ordered, and again after its end', async () => {
    let runs = 0
    const { attempt, ofKind } = attemptOf((context) => {
      runs += 1
      return untilStopped(context)
    })
    attempt.handle(order('a'))
    attempt.handle(order('a'))
    expect(runs).toBe(1)
    attempt.handle({ kind: 'stop-steps', ...address, stepIds: ['a'], how: 'checkpoint' })
    await vi.advanceTimersByTimeAsync(0)
    attempt.handle(order('a'))
    expect(runs).toBe(2)
    expect(ofKind('outcome')).toHaveLength(1)
  })

  it('is silent once it has ended: what still stops has nothing to say', async () => {
    const { attempt, sent } = attemptOf(async (context) => {
      const outcome = await untilStopped(context)
      context.reportFacts({ preemptible: false, resource: null, suggestedName: null })
      return outcome
    })
    attempt.handle(order('a'))
    attempt.end('discard')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(sent).toEqual([])
  })
})
