import { describe, expect, test } from 'vitest'
import { settled } from '../fakes/fake-clock.ts'
import { downloads } from '../fakes/core-world.ts'
import { plainLinks, startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'
import type { Trouble } from '../model/sim-workers.ts'

async function allFail(host: TestHost, trouble: Trouble): Promise<void> {
  for (const worker of host.pool.alive) {
    for (const order of [...worker.orders.values()]) host.workers.trouble(worker, order, trouble)
  }
  await settled()
  await settled()
}

async function row(host: TestHost, id: string) {
  const [found] = (await host.call('tasks.rows', { ids: [id] })).rows
  if (found === undefined) throw new Error(`there is no row ${id}`)
  return found
}

describe('a silent host', () => {
  test('invariant 20: ten thousand waiting tasks and a dead network cost one probe at a time', async () => {
    const host = await startedHost({ maxConcurrentTasks: 3 })
    host.network.silent.add('host.test')
    await host.call('tasks.add', { links: plainLinks(10_000) })
    await allFail(host, 'network-budget')
    expect(host.network.probes.length).toBeLessThanOrEqual(3)
    expect(host.pool.alive).toEqual([])
    const started = host.pool.workers.length
    const before = host.network.probes.length
    await host.clock.advance(30_000)
    // After 5 s, then doubling: at 5, 15 and beyond 30 s.
    expect(host.network.probes.length - before).toBe(2)
    expect(host.pool.workers.length).toBe(started)
    const waiting = host.waiting()[0] ?? ''
    expect((await row(host, waiting)).blockedBy).toMatchObject({ code: 'NETWORK_ERROR' })
  })

  test('that answers again brings its paused tasks back to the head, in the order in which they paused', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    host.network.silent.add('host.test')
    const [a = '', b = '', c = ''] = await host.add(...plainLinks(3))
    await allFail(host, 'network-budget')
    expect(await host.state(a)).toBe('PAUSED')
    expect(host.waiting()).toEqual([c])
    host.network.silent.clear()
    await host.clock.advance(5000)
    expect(host.running()).toEqual([a, b])
    expect(host.waiting()).toEqual([c])
  })

  test('holds back nobody who asks another host', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    host.network.silent.add('dead.test')
    const [dead = '', alive = ''] = await host.add('http://dead.test/plain/1', 'http://alive.test/plain/1')
    await allFail(host, 'network-budget')
    expect(await host.state(dead)).toBe('PAUSED')
    expect(host.running()).toEqual([alive])
  })

  test('is not blamed when it answers: the task alone waits, a minute', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const [a = '', b = ''] = await host.add(...plainLinks(2))
    await allFail(host, 'network-budget')
    expect(host.running()).toEqual([b])
    await host.clock.advance(59_000)
    expect(await host.state(a)).toBe('PAUSED')
    await host.clock.advance(2000)
    expect(host.waiting()).toEqual([a])
  })
})

describe('offline', () => {
  test('is one condition for all hosts, and its end resumes what answers', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    host.network.offline = true
    const links = ['a', 'b', 'c', 'd'].map((name) => `http://${name}.test/plain/1`)
    const [a = '', b = '', c = '', d = ''] = await host.add(...links)
    await allFail(host, 'network-budget')
    expect(host.waiting()).toEqual([c, d])
    expect((await row(host, d)).blockedBy?.message).toContain('no connection to the internet')
    host.network.offline = false
    const before = host.network.probes.length
    await host.clock.advance(5000)
    expect(host.network.probes.length).toBe(before + 1)
    expect(host.running()).toEqual([a, b])
    expect(host.waiting()).toEqual([c, d])
  })

  test('two silent hosts with nothing flowing share one prober', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    host.network.silent.add('a.test').add('b.test')
    await host.add('http://a.test/plain/1', 'http://b.test/plain/1', 'http://c.test/plain/1')
    await allFail(host, 'network-budget')
    const before = host.network.probes.length
    await host.clock.advance(5000)
    expect(host.network.probes.length).toBe(before + 1)
    expect(host.running()).toEqual([])
  })
})

describe('a host that says when to come back', () => {
  test('is waited for, and the task returns to the head', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const [a = '', b = '', c = ''] = await host.add(...plainLinks(3))
    await allFail(host, 'network-wait')
    expect(host.running()).toEqual([b])
    await host.clock.advance(30_000)
    expect(host.waiting()).toEqual([a, c])
    expect(host.network.probes).toEqual([])
  })
})

describe('storage', () => {
  test('B14 a full disk pauses, releases the slot, and resumes by itself when there is room', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1, reservedSpaceBytes: 100 })
    const id = await host.addRunning('http://host.test/plain/1')
    const [other = ''] = await host.add('http://host.test/plain/2')
    await host.advance(id, 400)
    host.files.freeBytes = 50
    await allFail(host, 'storage')
    expect((await host.task(id)).pause).toMatchObject({ kind: 'storage', resumesByItself: true })
    expect(host.pool.alive).toEqual([])
    expect((await row(host, other)).blockedBy).toMatchObject({ code: 'STORAGE_FULL' })
    await host.clock.advance(20_000)
    expect(await host.state(id)).toBe('PAUSED')
    host.files.freeBytes = 1e9
    await host.clock.advance(20_000)
    expect(host.running()).toEqual([id])
    const [running] = await host.ordersOf(id)
    expect(running?.order.checkpoint).toMatchObject({ ranges: [[0, 400]] })
  })

  test('stops resuming by itself a day after the first storage pause of the job', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1, reservedSpaceBytes: 100 })
    const id = await host.addRunning('http://host.test/plain/1')
    host.files.freeBytes = 50
    await allFail(host, 'storage')
    await host.clock.advance(24 * 3_600_000 + 1000)
    host.files.freeBytes = 1e9
    await host.clock.advance(600_000)
    expect((await host.task(id)).pause).toMatchObject({ kind: 'storage', resumesByItself: false })
    await host.call('tasks.restart', { ids: [id] })
    expect(await host.state(id)).toBe('RUNNING')
  })

  test('a drive that is away pauses the task that has its turn, the others say why they wait', async () => {
    const host = await startedHost()
    host.files.missing.add(downloads)
    const [a = '', b = ''] = await host.add(...plainLinks(2))
    await host.clock.advance(100)
    expect((await host.task(a)).pause).toMatchObject({ kind: 'storage' })
    expect((await row(host, b)).blockedBy).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    await host.service.whenIdle()
    host.files.missing.clear()
    await host.clock.advance(6000)
    expect(host.running()).toEqual([a, b])
  })

  describe('B14 a task that was paused by a full disk and is resumed by hand in a later life', () => {
    async function pausedByFullDisk() {
      const host = await startedHost({ maxConcurrentTasks: 1, reservedSpaceBytes: 0 })
      const id = await host.addRunning('http://host.test/plain/1')
      host.files.freeBytes = 0
      await allFail(host, 'storage')
      await host.restartHost()
      expect((await host.task(id)).pause).toMatchObject({ kind: 'storage' })
      return { host, id }
    }

    test('runs at once when there is room', async () => {
      const { host, id } = await pausedByFullDisk()
      host.files.freeBytes = 1e9
      await host.call('tasks.restart', { ids: [id] })
      expect(host.running()).toEqual([id])
    })

    test('leaves the host idle when there is none', async () => {
      const { host, id } = await pausedByFullDisk()
      await host.call('tasks.restart', { ids: [id] })
      expect(await host.state(id)).toBe('WAITING')
      await host.service.whenIdle()
      expect((await row(host, id)).blockedBy).toMatchObject({ code: 'STORAGE_FULL' })
    })
  })

  test('a task that would fit, were it not for the reserve, says so', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1, reservedSpaceBytes: 5000 })
    host.files.freeBytes = 4999
    const [id = ''] = await host.add('http://host.test/plain/1')
    expect((await row(host, id)).blockedBy).toMatchObject({
      code: 'STORAGE_FULL',
      message: 'This task would leave less room on the drive than is to stay free',
    })
  })

  test('a task for which there is no room waits and says so; a smaller one behind it runs', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1, reservedSpaceBytes: 0 })
    const film = await host.addRunning('http://host.test/pair/1')
    await host.call('tasks.pause', { ids: [film] })
    host.files.freeBytes = 3000
    await host.clock.advance(3000)
    await host.call('tasks.restart', { ids: [film] })
    // Two tracks of 1000 bytes, and the copy that the mux makes of them.
    expect(await host.state(film)).toBe('WAITING')
    expect((await row(host, film)).blockedBy).toMatchObject({
      code: 'STORAGE_FULL',
      details: { neededBytes: 4000, freeBytes: 3000 },
    })
    const [small = ''] = await host.add('http://host.test/plain/2')
    expect(host.running()).toEqual([small])
    host.files.freeBytes = 1e9
    await host.work()
    await host.clock.advance(10_000)
    expect(host.running()).toEqual([film])
  })

  test('a queue that is larger than the room is told ahead, once until it fits again', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1, reservedSpaceBytes: 0 })
    const warnings = () =>
      host.events.filter(
        ({ name, event }) => name === 'notice' && 'kind' in event && event.kind === 'storage-warning',
      )
    await host.addRunning('http://host.test/plain/1')
    for (let waiting = 2; waiting < 5; waiting++) {
      const link = `http://host.test/plain/${waiting}`
      const { planId } = await host.call('links.lookup', { link })
      await host.call('tasks.add', { links: [link], options: { planId } })
    }
    host.files.freeBytes = 2500
    const lookAgain = async () => {
      await host.clock.advance(31_000)
      for (const id of host.running()) await host.finish(id)
      await settled()
    }
    const [first = ''] = host.running()
    await host.advance(first, 100)
    await lookAgain()
    expect(warnings()).toMatchObject([{ event: { error: { code: 'STORAGE_FULL' } } }])
    await lookAgain()
    expect(warnings()).toHaveLength(1)
  })

  test('EIO stays paused until a person resumes it', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const id = await host.addRunning('http://host.test/plain/1')
    await allFail(host, 'storage-stuck')
    await host.clock.advance(3_600_000)
    expect((await host.task(id)).pause).toMatchObject({ kind: 'storage', resumesByItself: false })
  })

  test('a storage pause of an earlier life resumes after a restart of the host', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1, reservedSpaceBytes: 100 })
    const id = await host.addRunning('http://host.test/plain/1')
    host.files.freeBytes = 50
    await allFail(host, 'storage')
    await host.restartHost()
    host.files.freeBytes = 1e9
    await host.clock.advance(10_000)
    expect(host.running()).toEqual([id])
  })
})
