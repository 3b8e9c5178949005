import { beforeEach, expect, test, vi } from 'vitest'
import { muxOrder } from '../../test/processes/mux-order.ts'
import type { HostMessage, StepOutcome, WorkerMessage } from '../shared/worker-protocol.ts'
import { workerMessageSchema } from '../shared/worker-protocol.ts'
import type { StepContext } from './step-executor.ts'
import { serveHost } from './worker-process.ts'

const paused: StepOutcome = { kind: 'paused', checkpoint: null, cause: null }

let hear: (message: HostMessage) => void
let sent: WorkerMessage[]
/** by attempt, in the order in which they began */
let begun: { number: number; context: StepContext }[]
let closed: number[]

beforeEach(() => {
  sent = []
  begun = []
  closed = []
  let attempts = 0
  const channel = {
    send: (message: unknown) => void sent.push(workerMessageSchema.parse(message)),
    onMessage: (listener: (message: unknown) => void) => {
      hear = listener
    },
    onClose: () => null,
  }
  serveHost(channel, () => {
    const number = ++attempts
    const run = (context: StepContext) => {
      begun.push({ number, context })
      return new Promise<StepOutcome>((resolve) => {
        context.signal.addEventListener('abort', () => resolve(paused))
      })
    }
    const unused = () => Promise.reject(new Error('not ordered'))
    const executors = {
      resolve: unused,
      fetch: unused,
      mux: (...[, , context]: [unknown, unknown, StepContext]) => run(context),
    }
    return { executors, close: () => void closed.push(number) }
  })
})

const name = (token: number) => ({ attemptId: `attempt-${token}`, token })

function order(token: number, connections = 1): void {
  hear(muxOrder({ token, connections, workingFolder: '/w', ffmpegPath: null, publishTo: '/out' }))
}

const stop = (token: number) =>
  hear({ kind: 'stop-steps', ...name(token), stepIds: ['mux'], how: 'checkpoint' })
const told = () => sent.map(({ kind, token, seq }) => `${kind} ${token} ${seq}`)

test('several attempts are at work, each with its own limits, tools and numbers', async () => {
  // tokens rise, but the commits that begin attempts may overtake each other
  order(7, 3)
  order(5, 2)
  expect(begun.map(({ number, context }) => [number, context.limits().connections])).toEqual([
    [1, 3],
    [2, 2],
  ])
  stop(5)
  await vi.waitFor(() => expect(told()).toEqual(['outcome 5 1']))
  expect(begun[0]?.context.signal.aborted).toBe(false)
  stop(7)
  await vi.waitFor(() => expect(told()).toEqual(['outcome 5 1', 'outcome 7 1']))
})

test('the end of one attempt leaves the others alone and closes what was its own', async () => {
  order(1)
  order(2)
  hear({ kind: 'end-attempt', ...name(1) })
  await vi.waitFor(() => expect(told()).toEqual(['ended 1 1']))
  expect(closed).toEqual([1])
  expect(begun[1]?.context.signal.aborted).toBe(false)
})

test('an attempt whose last outcome said that nothing is left ends without another word', async () => {
  order(1)
  stop(1)
  await vi.waitFor(() => expect(sent).toMatchObject([{ kind: 'outcome', isLast: true }]))
  hear({ kind: 'end-attempt', ...name(1) })
  expect(closed).toEqual([1])
  expect(sent).toHaveLength(1)
})

test('an attempt that is let go between two steps says that it has ended only when nothing is at work', async () => {
  order(1)
  stop(1)
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  order(1)
  hear({ kind: 'end-attempt', ...name(1) })
  expect(closed).toEqual([])
  await vi.waitFor(() => expect(told()).toEqual(['outcome 1 1', 'ended 1 2']))
  expect(closed).toEqual([1])
})

test('an order of an attempt that has ended here is not carried out, also while it still ends', async () => {
  order(3)
  hear({ kind: 'end-attempt', ...name(3) })
  order(3)
  await vi.waitFor(() => expect(closed).toEqual([1]))
  order(3)
  order(2)
  expect(begun.map(({ number }) => number)).toEqual([1, 2])
})

test('news of an attempt that is not here begins none', () => {
  stop(9)
  hear({ kind: 'end-attempt', ...name(9) })
  expect(begun).toEqual([])
  expect(sent).toEqual([])
})
