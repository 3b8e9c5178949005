import { availableParallelism } from 'node:os'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WorkerQueue } from './worker-queue.ts'

const worker = 'a worker'

let launching = 0
let started = 1
let queue: WorkerQueue<string>

const wait = (isAlone = false) => queue.wait(isAlone, (given) => given)

/** What was launched is there: one after another for those who wait. */
function arrive(): void {
  for (; launching > 0; launching--) {
    started++
    queue.giveEmpty(worker)
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
  const waits = ['a', 'b'].map((name) => wait().then(() => given.push(name)))
  expect(queue.giveEmpty(worker)).toBe(true)
  expect(queue.giveRoom(worker)).toBe(true)
  expect(queue.giveEmpty(worker)).toBe(false)
  await Promise.all(waits)
  expect(given).toEqual(['a', 'b'])
})

test('while attempts are short nobody waits long, and no process is started', async () => {
  for (let count = 0; count < 40; count++) {
    const turn = wait()
    await vi.advanceTimersByTimeAsync(5)
    queue.noteReturn(5)
    queue.giveEmpty(worker)
    await turn
  }
  expect(launching).toBe(0)
})

test('short attempts with a long queue get a process for each processor, one at a time', async () => {
  for (let count = 0; count < 100; count++) void wait()
  for (let ms = 0; ms < 500; ms += 5) {
    await vi.advanceTimersByTimeAsync(5)
    queue.noteReturn(5)
    queue.giveEmpty(worker)
    expect(launching).toBeLessThanOrEqual(1)
    arrive()
  }
  expect(started).toBe(availableParallelism())
})

test('attempts are short while they come back soon, and no more once one was long', async () => {
  expect(queue.isShort).toBe(false)
  queue.noteReturn(5)
  expect(queue.isShort).toBe(true)
  queue.noteReturn(500)
  expect(queue.isShort).toBe(false)
  queue.noteReturn(499)
  await vi.advanceTimersByTimeAsync(499)
  expect(queue.isShort).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(queue.isShort).toBe(false)
})

test('who wants a process for himself gets the next empty one, and no place beside others', async () => {
  const given: string[] = []
  const note = (name: string) => () => given.push(name)
  const waits = [wait().then(note('first')), wait(true).then(note('alone')), wait().then(note('last'))]
  expect(queue.giveEmpty(worker)).toBe(true)
  expect(queue.giveRoom(worker)).toBe(true)
  expect(queue.giveRoom(worker)).toBe(true)
  await Promise.all(waits)
  expect(given).toEqual(['alone', 'first', 'last'])
  void wait(true)
  expect(queue.giveRoom(worker)).toBe(false)
})

test('who wants a process for himself does not wait until one that others share is empty', async () => {
  void wait(true)
  void wait(true)
  expect(launching).toBe(2)
  arrive()
  void wait(true)
  for (let ms = 0; ms < 500; ms += 5) {
    await vi.advanceTimersByTimeAsync(5)
    queue.noteReturn(5)
  }
  expect(launching).toBe(1)
})

test('behind long attempts each gets a process of his own, soon', async () => {
  for (let count = 0; count < 15; count++) void wait()
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
  void wait()
  void wait()
  expect(launching).toBe(1)
})

test('when the last process dies, one is started for those who waited for it', async () => {
  const turn = wait()
  started = 0
  await vi.advanceTimersByTimeAsync(25)
  expect(launching).toBe(1)
  arrive()
  expect(await turn).toBe(worker)
})

test('when a process cannot be started, another one is tried for who waits next', async () => {
  started = 0
  const [first, second] = [wait(), wait()]
  launching = 0
  queue.fail(new Error('no process'))
  await expect(first).rejects.toThrow('no process')
  await vi.advanceTimersByTimeAsync(25)
  expect(launching).toBe(1)
  arrive()
  expect(await second).toBe(worker)
})

test('a process that cannot be started and an end are told to those who wait', async () => {
  const waits = [wait(), wait()]
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
