import { availableParallelism } from 'node:os'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WorkerQueue } from './worker-queue.ts'

const worker = 'a worker'

let launching = 0
let started = 1
let queue: WorkerQueue<string>

/** What was launched is there: one after another for those who wait. */
function arrive(): void {
  for (; launching > 0; launching--) {
    started++
    queue.give(worker)
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  launching = 0
  started = 1
  queue = new WorkerQueue({
    launching: () => launching,
    started: () => started,
    launch: () => {
      launching++
    },
  })
})
afterEach(() => vi.useRealTimers())

test('a worker goes to who waits longest', async () => {
  const given: string[] = []
  const waits = ['a', 'b'].map((name) => queue.wait().then(() => given.push(name)))
  expect(queue.give(worker)).toBe(true)
  expect(queue.give(worker)).toBe(true)
  expect(queue.give(worker)).toBe(false)
  await Promise.all(waits)
  expect(given).toEqual(['a', 'b'])
})

test('while attempts are short nobody waits long, and no process is started', async () => {
  for (let count = 0; count < 40; count++) {
    const turn = queue.wait()
    await vi.advanceTimersByTimeAsync(5)
    queue.noteReturn()
    queue.give(worker)
    await turn
  }
  expect(launching).toBe(0)
})

test('short attempts with a long queue get a few processes, one at a time', async () => {
  for (let count = 0; count < 100; count++) void queue.wait()
  for (let ms = 0; ms < 500; ms += 5) {
    await vi.advanceTimersByTimeAsync(5)
    queue.noteReturn()
    queue.give(worker)
    expect(launching).toBeLessThanOrEqual(1)
    arrive()
  }
  expect(started).toBe(2 * availableParallelism())
})

test('behind long attempts each gets a process of his own, soon', async () => {
  for (let count = 0; count < 15; count++) void queue.wait()
  await vi.advanceTimersByTimeAsync(190)
  expect(launching).toBe(0)
  for (let ms = 0; ms < 850; ms += 5) {
    await vi.advanceTimersByTimeAsync(5)
    arrive()
  }
  expect(started).toBe(16)
})

test('where there is no process one is started at once', () => {
  started = 0
  void queue.wait()
  void queue.wait()
  expect(launching).toBe(1)
})

test('when the last process dies, one is started for those who waited for it', async () => {
  const turn = queue.wait()
  started = 0
  await vi.advanceTimersByTimeAsync(25)
  expect(launching).toBe(1)
  arrive()
  expect(await turn).toBe(worker)
})

test('when a process cannot be started, another one is tried for who waits next', async () => {
  started = 0
  const [first, second] = [queue.wait(), queue.wait()]
  launching = 0
  queue.fail(new Error('no process'))
  await expect(first).rejects.toThrow('no process')
  await vi.advanceTimersByTimeAsync(25)
  expect(launching).toBe(1)
  arrive()
  expect(await second).toBe(worker)
})

test('a process that cannot be started and an end are told to those who wait', async () => {
  const waits = [queue.wait(), queue.wait()]
  queue.fail(new Error('no process'))
  queue.close(new Error('closed'))
  const ends = await Promise.allSettled(waits)
  expect(ends.map((end) => end.status === 'rejected' && String(end.reason))).toEqual([
    'Error: no process',
    'Error: closed',
  ])
  await vi.advanceTimersByTimeAsync(1000)
  expect(launching).toBe(0)
})
