import { describe, expect, test } from 'vitest'
import { settled } from '../fakes/fake-clock.ts'
import type { FakeWorker } from '../fakes/fake-workers.ts'
import { plainLinks, startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

function connections(worker: FakeWorker): number | undefined {
  return worker.received
    .flatMap((message) => ('limits' in message ? [message.limits.connections] : []))
    .at(-1)
}

async function refuses(host: TestHost, id: string, more: { host: string; connections: number }) {
  const worker = await host.workerOf(id)
  worker.report({ kind: 'host-limit', ...more })
  await settled()
}

const hour = 3_600_000

describe('connections of a host', () => {
  test('are leased to attempts, and come back with them', async () => {
    const host = await startedHost({ connectionsPerHost: 8, connectionsPerTask: 8 })
    const [a = '', b = ''] = await host.add(...plainLinks(2))
    const worker = await host.workerOf(a)
    expect(connections(worker)).toBe(4)
    await host.call('tasks.pause', { ids: [b] })
    expect(connections(worker)).toBe(8)
  })

  test('are never more than the setting: who finds none left waits and says so', async () => {
    const host = await startedHost({ connectionsPerHost: 2, maxConcurrentTasks: 5 })
    const [a = '', b = '', c = ''] = await host.add(...plainLinks(3))
    const [other = ''] = await host.add('http://other.test/plain/1')
    expect(host.running()).toEqual([a, b, other])
    const [row] = (await host.call('tasks.rows', { ids: [c] })).rows
    expect(row?.blockedBy).toMatchObject({ code: 'RATE_LIMITED', details: { host: 'host.test' } })
    await host.call('tasks.cancel', { ids: [a] })
    expect(host.running()).toEqual([b, other, c])
  })

  test('are more by one each hour, and who waits for it starts, though nothing else happens', async () => {
    const host = await startedHost({ maxConcurrentTasks: 5 })
    const [a = ''] = await host.add(...plainLinks(1))
    await refuses(host, a, { host: 'host.test', connections: 1 })
    const [b = ''] = await host.add('http://host.test/plain/2')
    await host.clock.advance(1000)
    expect(host.running()).toEqual([a])
    await host.clock.suspend(hour)
    await host.clock.advance(1000)
    expect(host.running()).toEqual([a, b])
  })

  test('are fewer from then on where a host refused more, also in the next life', async () => {
    const host = await startedHost({ connectionsPerTask: 8 })
    const [id = ''] = await host.add(...plainLinks(1))
    await refuses(host, id, { host: 'host.test', connections: 3 })
    expect(connections(await host.workerOf(id))).toBe(3)
    await refuses(host, id, { host: 'host.test', connections: 5 })
    expect(connections(await host.workerOf(id))).toBe(3)
    await host.restartHost()
    expect(connections(await host.workerOf(id))).toBe(3)
    expect((await host.call('tasks.details', { id })).hostLimit).toEqual({
      host: 'host.test',
      connections: 3,
    })
  })

  test('are those of the host that serves it, where the link led elsewhere', async () => {
    const host = await startedHost({ connectionsPerTask: 8 })
    const id = await host.addRunning('http://host.test/plain/1')
    const [running] = await host.ordersOf(id)
    const finalUrl = 'http://mirror.test:81/file'
    running?.worker.report({
      kind: 'facts',
      stepId: running.order.stepId,
      preemptible: true,
      resource: {
        finalUrl,
        length: 1000,
        validator: null,
        acceptsRanges: true,
        contentType: null,
        checksum: null,
      },
      suggestedName: null,
    })
    await refuses(host, id, { host: 'mirror.test:81', connections: 2 })
    expect(connections(await host.workerOf(id))).toBe(2)
  })

  test('are one more for each hour without a refusal, in a running task too, and over restarts', async () => {
    const host = await startedHost({ connectionsPerTask: 8 })
    const [id = ''] = await host.add(...plainLinks(1))
    const known = async () => (await host.call('tasks.details', { id })).hostLimit?.connections
    await refuses(host, id, { host: 'host.test', connections: 1 })
    expect([connections(await host.workerOf(id)), await known()]).toEqual([1, 1])
    host.clock.jumpWall(2 * hour)
    await host.clock.advance(1000)
    expect([connections(await host.workerOf(id)), await known()]).toEqual([3, 3])
    await host.restartHost()
    expect(connections(await host.workerOf(id))).toBe(3)

    // the third was one too many: the count begins again
    await refuses(host, id, { host: 'host.test', connections: 2 })
    expect(connections(await host.workerOf(id))).toBe(2)
    host.clock.jumpWall(hour)
    await host.clock.advance(1000)
    expect(connections(await host.workerOf(id))).toBe(3)
    await refuses(host, id, { host: 'host.test', connections: 2 })
    expect(connections(await host.workerOf(id))).toBe(2)

    host.clock.jumpWall(24 * hour)
    await host.clock.advance(1000)
    expect([connections(await host.workerOf(id)), await known()]).toEqual([8, undefined])
  })
})
