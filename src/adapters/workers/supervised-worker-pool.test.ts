import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { muxOrder } from '../../../test/processes/mux-order.ts'
import type { WorkerEnd, WorkerLease } from '../../core/ports.ts'
import type { HostMessage, WorkerMessage, WorkerReport } from '../../shared/worker-protocol.ts'
import type { LaunchedWorker } from './launcher.ts'
import { SupervisedWorkerPool } from './supervised-worker-pool.ts'

/** A process that does what the test says: its channel carries batches, as the real ones do. */
class TestProcess implements LaunchedWorker {
  readonly pid: number
  readonly batches: HostMessage[][] = []
  isDismissed = false
  #onMessage: (message: unknown) => void = () => {}
  #onExit: (code: number | null, signal: string | null) => void = () => {}

  constructor(pid: number) {
    this.pid = pid
  }

  send(batch: HostMessage[]): void {
    this.batches.push(batch)
  }
  onMessage(listener: (message: unknown) => void): void {
    this.#onMessage = listener
  }
  onExit(listener: (code: number | null, signal: string | null) => void): void {
    this.#onExit = listener
  }
  kill(): void {
    queueMicrotask(() => this.exit('SIGKILL'))
  }
  dismiss(): void {
    this.isDismissed = true
    queueMicrotask(() => this.exit(null))
  }

  exit(signal: string | null): void {
    this.#onExit(signal === null ? 0 : null, signal)
  }
  say(...messages: unknown[]): void {
    this.#onMessage(messages)
  }
}

interface Held {
  lease: WorkerLease
  token: number
  heard: WorkerMessage[]
  ends: WorkerEnd[]
  process: TestProcess
}

// no process has such a pid: nothing is found of it
let lastPid = 2 ** 30
let lastToken = 0
let processes: TestProcess[]
let faults: unknown[]
let pool: SupervisedWorkerPool

beforeEach(() => {
  vi.useFakeTimers()
  processes = []
  faults = []
  const launch = () => {
    const process = new TestProcess(++lastPid)
    processes.push(process)
    return Promise.resolve(process)
  }
  pool = new SupervisedWorkerPool({ launch }, (fault) => faults.push(fault))
})
afterEach(async () => {
  const closed = pool.close()
  await vi.advanceTimersByTimeAsync(3_000)
  await closed
  vi.useRealTimers()
})

const paused = { kind: 'paused', checkpoint: null, cause: null } as const

function outcomeOf(held: Held, seq = 1): WorkerMessage {
  const report: WorkerReport = { kind: 'outcome', stepId: 'mux', outcome: paused, isLast: true }
  return { ...report, attemptId: `attempt-${held.token}`, token: held.token, seq }
}

function order(held: Held): void {
  const { token } = held
  held.lease.send(muxOrder({ token, workingFolder: '/w', ffmpegPath: null, publishTo: '/out' }))
}

async function begin(wish?: 'alone', onMessage?: (message: WorkerMessage) => void): Promise<Held> {
  const heard: WorkerMessage[] = []
  const ends: WorkerEnd[] = []
  const handlers = { onMessage: onMessage ?? ((message) => heard.push(message)), onEnd: ends.push.bind(ends) }
  const lease = await pool.acquire(handlers, wish)
  const process = processes.find(({ pid }) => pid === lease.pid)
  if (process === undefined) throw new Error('a lease of a process that was not launched')
  const held = { lease, token: ++lastToken, heard, ends, process }
  order(held)
  return held
}

async function finish(held: Held): Promise<void> {
  held.process.say(outcomeOf(held))
  held.lease.release()
  await vi.advanceTimersByTimeAsync(0)
  expect(held.ends).toEqual([{ kind: 'returned' }])
}

/** A process whose attempts were short until now, with `count` of them in it. */
async function sharing(count: number): Promise<Held[]> {
  const first = await begin()
  const rest = Array.from({ length: count }, () => begin())
  await vi.advanceTimersByTimeAsync(5)
  await finish(first)
  return Promise.all(rest)
}

test('while attempts are short a process is shared, by no more than sixteen of them', async () => {
  const held = await sharing(16)
  expect(new Set(held.map(({ process }) => process))).toEqual(new Set([processes[0]]))
  const seventeenth = vi.fn<(held: Held) => void>()
  void begin().then(seventeenth)
  await vi.advanceTimersByTimeAsync(20)
  expect(seventeenth).not.toHaveBeenCalled()
  if (held[3] !== undefined) await finish(held[3])
  expect(seventeenth).toHaveBeenCalledWith(expect.objectContaining({ process: processes[0] }))
})

test('where nothing has come back yet nothing is shared', async () => {
  await begin()
  void begin().catch(() => null)
  await vi.advanceTimersByTimeAsync(199)
  expect(processes).toHaveLength(1)
})

test('an attempt that turns out long gets nobody beside it any more, though others are short', async () => {
  const [long, short] = await sharing(2)
  await vi.advanceTimersByTimeAsync(501)
  if (long === undefined || short === undefined) throw new Error('two are there')
  const other = begin()
  await vi.advanceTimersByTimeAsync(200)
  const inOther = await other
  expect(inOther.process).not.toBe(long.process)
  await finish(inOther)
  expect((await begin()).process).toBe(inOther.process)
  expect((await begin()).process).toBe(inOther.process)
})

test('who is to be alone shares with nobody: neither whom he finds nor who comes after him', async () => {
  const [first] = await sharing(1)
  const alone = begin('alone')
  await vi.advanceTimersByTimeAsync(0)
  const inAlone = await alone
  expect(inAlone.process).not.toBe(first?.process)
  if (first !== undefined) order(first)
  expect((await begin()).process).toBe(first?.process)
})

test('each hears what is of his own attempt, and an order of another attempt is not sent for him', async () => {
  const [one, two] = await sharing(2)
  if (one === undefined || two === undefined) throw new Error('two are there')
  one.process.say(outcomeOf(one), outcomeOf(two), { ...outcomeOf(two), token: 999 })
  expect(one.heard).toEqual([outcomeOf(one)])
  expect(two.heard).toEqual([outcomeOf(two)])
  await vi.advanceTimersByTimeAsync(0)
  const before = one.process.batches.length
  order({ ...one, token: two.token })
  await vi.advanceTimersByTimeAsync(0)
  expect(one.process.batches).toHaveLength(before)
})

test('what is sent in one turn goes as one batch, in order', async () => {
  const held = await sharing(3)
  await vi.advanceTimersByTimeAsync(0)
  const { batches } = held[0]?.process ?? { batches: [] }
  expect(batches.at(-1)?.map(({ kind, token }) => `${kind} ${token}`)).toEqual([
    `end-attempt ${(held[0]?.token ?? 0) - 1}`,
    ...held.map(({ token }) => `run-step ${token}`),
  ])
})

test('a kill is told to its attempt as the exit, to its neighbours as their eviction, each once', async () => {
  const [culprit, neighbour, other] = await sharing(3)
  culprit?.lease.kill()
  culprit?.lease.kill()
  await vi.advanceTimersByTimeAsync(0)
  expect(culprit?.ends).toEqual([{ kind: 'exited', code: null, signal: 'SIGKILL' }])
  expect(neighbour?.ends).toEqual([{ kind: 'evicted' }])
  expect(other?.ends).toEqual([{ kind: 'evicted' }])
  neighbour?.lease.release()
  await vi.advanceTimersByTimeAsync(0)
  expect(neighbour?.ends).toHaveLength(1)
})

test('of a process that dies by itself nobody can tell whose doing it was: all hear of the exit', async () => {
  const held = await sharing(2)
  held[0]?.process.exit('SIGSEGV')
  held[0]?.lease.kill()
  await vi.advanceTimersByTimeAsync(0)
  for (const { ends } of held) expect(ends).toEqual([{ kind: 'exited', code: null, signal: 'SIGSEGV' }])
})

test('nonsense ends its process, and all in it hear of the exit', async () => {
  const held = await sharing(2)
  held[0]?.process.say({ kind: 'outcome', token: held[0].token })
  await vi.advanceTimersByTimeAsync(0)
  for (const { ends } of held) expect(ends).toMatchObject([{ kind: 'exited', signal: 'SIGKILL' }])
  expect(faults).toEqual([expect.objectContaining({ code: 'INTERNAL' })])
})

test('a fault of who hears a message costs the attempt, and only evicts its neighbours', async () => {
  const first = await begin()
  const fault = new Error('of the handler')
  const failing = begin(undefined, () => {
    throw fault
  })
  const neighbour = begin()
  await finish(first)
  const [one, two] = await Promise.all([failing, neighbour])
  one.process.say(outcomeOf(one), outcomeOf(two))
  await vi.advanceTimersByTimeAsync(0)
  expect(two.heard).toEqual([outcomeOf(two)])
  expect(one.ends).toMatchObject([{ kind: 'exited' }])
  expect(two.ends).toEqual([{ kind: 'evicted' }])
  expect(faults).toEqual([fault])
})

test('nobody is put into a process that is being killed', async () => {
  const [culprit] = await sharing(2)
  culprit?.lease.kill()
  const next = begin()
  await vi.advanceTimersByTimeAsync(25)
  expect((await next).process).toBe(processes[1])
})

test('a lease that ends has its attempt closed in the worker, though others go on there', async () => {
  const [one, two] = await sharing(2)
  if (one === undefined || two === undefined) throw new Error('two are there')
  one.lease.release()
  await vi.advanceTimersByTimeAsync(0)
  expect(one.ends).toEqual([])
  expect(one.process.batches.at(-1)).toEqual([
    { kind: 'end-attempt', attemptId: `attempt-${one.token}`, token: one.token },
  ])
  one.process.say({ kind: 'ended', attemptId: `attempt-${one.token}`, token: one.token, seq: 1 })
  await vi.advanceTimersByTimeAsync(0)
  expect(one.ends).toEqual([{ kind: 'returned' }])
  expect(two.ends).toEqual([])
})
