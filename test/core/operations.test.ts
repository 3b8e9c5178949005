/** Operations as a user sees them, where no other test of the core has them as its subject. */
import { describe, expect, test } from 'vitest'
import { SluiceError } from '../../src/shared/errors.ts'
import { downloads } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'
import { plainLinks, startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

const list = 'http://host.test/list/1'

async function fileIds(host: TestHost, id: string): Promise<string[]> {
  return (await host.task(id)).files.map((file) => file.id)
}

const choose = async (host: TestHost, id: string, ...places: number[]) => {
  const ids = await fileIds(host, id)
  return host.call('tasks.select', { id, selected: places.map((place) => ids[place] ?? '') })
}

async function fetched(host: TestHost, id: string): Promise<string[]> {
  const { files, steps } = await host.task(id)
  return files
    .filter((file) => steps.some((step) => step.fileId === file.id && step.output !== null))
    .map((file) => file.name)
}

describe('selecting files', () => {
  test('of a running task stops what is left out; the same attempt goes on with the rest', async () => {
    const host = await startedHost()
    const id = await host.addRunning(list)
    await host.advance(id, 300)
    const before = (await host.task(id)).attempt?.id
    await choose(host, id, 1, 2)
    const task = await host.task(id)
    expect(task.attempt?.id).toBe(before)
    const running = task.steps.filter((step) => step.state === 'RUNNING').map((step) => step.fileId)
    expect(new Set(running)).toEqual(new Set([task.files[1]?.id]))
    // what it had of the file that is left out is kept
    const left = task.steps.find((step) => step.fileId === task.files[0]?.id)
    expect(left).toMatchObject({ state: 'WAITING', checkpoint: { ranges: [[0, 300]] } })
    await host.work()
    expect(await host.state(id)).toBe('COMPLETED')
    expect(await fetched(host, id)).toEqual(['two.mp4', 'three.bin'])
  })

  test('of a running task takes a file with a lower index too', async () => {
    const host = await startedHost()
    const id = await host.addRunning(list)
    await choose(host, id, 2)
    await choose(host, id, 0, 2)
    await host.work()
    expect(await host.state(id)).toBe('COMPLETED')
    expect(await fetched(host, id)).toEqual(['one.bin', 'three.bin'])
  })

  test('of a complete task opens a new job for what was not there', async () => {
    const host = await startedHost()
    const id = await host.addRunning(list)
    await host.work()
    expect(await host.state(id)).toBe('COMPLETED')
    await host.clock.advance(1000)
    await choose(host, id, 0, 1, 2)
    expect((await host.task(id)).job).toMatchObject({ number: 2, end: null })
    await host.work()
    expect(await fetched(host, id)).toEqual(['one.bin', 'two.mp4', 'three.bin'])
    const { entries } = await host.call('history.list', { limit: 10 })
    expect(entries.map((job) => [job.number, job.end?.state])).toEqual([
      [2, 'COMPLETED'],
      [1, 'COMPLETED'],
    ])
  })

  test('of a complete task down to what is there changes no job', async () => {
    const host = await startedHost()
    const id = await host.addRunning(list)
    await host.work()
    await choose(host, id, 0)
    expect(await host.state(id)).toBe('COMPLETED')
    expect((await host.task(id)).job.number).toBe(1)
  })

  test('of a paused task pauses what is new as well', async () => {
    const host = await startedHost()
    const id = await host.addRunning(list)
    await host.call('tasks.pause', { ids: [id] })
    await choose(host, id, 2)
    expect(await host.state(id)).toBe('PAUSED')
    expect(host.pool.alive).toEqual([])
    await host.call('tasks.restart', { ids: [id] })
    await host.work()
    expect(await fetched(host, id)).toEqual(['three.bin'])
  })

  test('of a failed task without what failed ends it as complete, and with it again starts that anew', async () => {
    const host = await startedHost()
    const id = await host.addRunning(list)
    await host.advance(id, 300)
    for (const { worker, order } of await host.ordersOf(id)) host.workers.trouble(worker, order, 'fail')
    await settled()
    await host.work()
    expect(await host.state(id)).toBe('FAILED')
    await choose(host, id, 1)
    expect(await host.state(id)).toBe('COMPLETED')
    await choose(host, id, 0, 1)
    const step = (await host.task(id)).steps.find((held) => held.state === 'RUNNING')
    expect(step).toMatchObject({ kind: 'download', checkpoint: null, error: null })
    await host.work()
    expect(await host.state(id)).toBe('COMPLETED')
  })
})

describe('downloading again', () => {
  test('takes the old files away first and begins a new life at zero', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const id = await host.addRunning('http://host.test/plain/1')
    await host.finish(id)
    await settled()
    const [other = ''] = await host.add('http://host.test/plain/2')
    const { results } = await host.call('tasks.redownload', { ids: [id] })
    expect(host.files.paths()).toEqual([])
    const task = await host.task(id)
    expect(task.job.number).toBe(2)
    expect(results).toMatchObject([{ kind: 'done', jobId: task.job.id }])
    expect(host.running()).toEqual([other])
    await host.work()
    expect(await host.state(id)).toBe('COMPLETED')
  })

  test('leaves a file that somebody changed since', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    await host.finish(id)
    await settled()
    host.files.write(`${downloads}/file.bin`, 77)
    await host.call('tasks.redownload', { ids: [id] })
    await host.work()
    expect(host.files.paths()).toEqual([`${downloads}/file (1).bin`, `${downloads}/file.bin`])
  })
})

describe('retry as new', () => {
  test('is another task with the same wishes and a name of its own, through the same gates', async () => {
    let mayWrite = true
    const host = await startedHost({}, { mayWrite: () => mayWrite })
    const { results: added } = await host.call('tasks.add', {
      links: ['http://host.test/plain/1'],
      options: { name: 'wanted.bin', connections: 3 },
    })
    const id = added[0]?.kind === 'added' ? added[0].id : ''
    await host.work()
    const { results } = await host.call('tasks.retryAsNew', { ids: [id] })
    const [made] = results
    expect(made).toMatchObject({ kind: 'done', changed: true })
    expect(await host.task(made?.id ?? '')).toMatchObject({ retryOf: id, parameters: { connections: 3 } })
    await host.work()
    expect(host.files.paths()).toEqual([`${downloads}/wanted (1).bin`, `${downloads}/wanted.bin`])
    mayWrite = false
    const before = host.stored()
    const again = await host.call('tasks.retryAsNew', { ids: [id] })
    expect(again.results).toMatchObject([{ kind: 'refused', error: { code: 'FORBIDDEN' } }])
    expect(host.stored()).toBe(before)
  })
})

describe('restart all', () => {
  test('leaves alone what failed or waits for a decision', async () => {
    const host = await startedHost({ maxConcurrentTasks: 5 })
    const [user = '', wait = '', source = '', review = '', failed = ''] = await host.add(...plainLinks(5))
    for (const id of [user, wait, source, review, failed]) await host.finish(id)
    const troubles = [
      [wait, 'network-wait'],
      [review, 'review'],
      [failed, 'fail'],
    ] as const
    for (const [id, trouble] of troubles) {
      for (const { worker, order } of await host.ordersOf(id)) host.workers.trouble(worker, order, trouble)
    }
    const refuse = async () => {
      for (const { worker, order } of await host.ordersOf(source))
        host.workers.trouble(worker, order, 'source')
      await settled()
    }
    await refuse()
    // the resolver is asked for a fresh link, and brings the same one
    await host.finish(source)
    await refuse()
    await host.call('tasks.pause', { ids: [user] })
    expect((await host.task(source)).pause?.kind).toBe('source')
    await host.call('tasks.restart', { query: { filter: 'all', search: '' } })
    expect(host.running().toSorted()).toEqual([user, wait].toSorted())
    expect(await host.state(failed)).toBe('FAILED')
    expect((await host.task(review)).pause?.kind).toBe('review')
  })
})

describe('a request', () => {
  test('that cannot be made durable is not passed on: the worker hears nothing of it', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    const heard = worker.received.length
    host.store.failCommits = new SluiceError('STORAGE_FULL', 'the database cannot grow')
    for (const name of ['tasks.pause', 'tasks.cancel', 'tasks.redownload'] as const) {
      const answer = await host.client.call(name, { ids: [id] })
      expect(answer).toMatchObject({ ok: false, error: { code: 'STORAGE_FULL' } })
    }
    expect(worker.received).toHaveLength(heard)
    expect(await host.state(id)).toBe('RUNNING')
    host.store.failCommits = null
    await host.call('tasks.pause', { ids: [id] })
    expect(await host.state(id)).toBe('PAUSED')
  })

  test('is stored before the worker is told, so that a death in between carries it out', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    let storedWhenTold: string | undefined
    worker.send = (message) => {
      if (message.kind === 'stop-steps') storedWhenTold = host.store.peek().tasks.get(id)?.request?.kind
    }
    await host.call('tasks.cancel', { ids: [id] })
    expect(storedWhenTold).toBe('cancel')
    await host.restartHost()
    expect(await host.state(id)).toBe('CANCELLED')
  })
})
