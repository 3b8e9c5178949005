import { describe, expect, test } from 'vitest'
import type { Events } from '../../src/shared/contract/events.ts'
import { settled } from '../fakes/fake-clock.ts'
import { plainLinks, startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

async function finishAll(host: TestHost): Promise<void> {
  await host.work()
  await settled()
}

function sleepyHost(done: string[]) {
  const powerHooks = {
    quit: () => Promise.resolve(void done.push('quit')),
    sleep: () => Promise.resolve(void done.push('sleep')),
  }
  return startedHost({ maxConcurrentTasks: 1 }, { powerHooks })
}

function allFinished(host: TestHost): Events['notice'][] {
  return host.events.flatMap(({ name, event }) =>
    name === 'notice' && 'kind' in event && event.kind === 'all-finished' ? [event] : [],
  )
}

describe('all finished', () => {
  test('is said once, with how the tasks ended since the last time', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const [a = '', b = '', c = ''] = await host.add(...plainLinks(3))
    await host.call('tasks.cancel', { ids: [b] })
    await host.finish(a)
    for (const { worker, order } of await host.ordersOf(a)) host.workers.trouble(worker, order, 'fail')
    await settled()
    expect(allFinished(host)).toEqual([])
    expect(host.running()).toEqual([c])
    await finishAll(host)
    expect(allFinished(host)).toMatchObject([{ counts: { completed: 1, failed: 1, cancelled: 1 } }])
    await host.add('http://host.test/plain/9')
    await finishAll(host)
    expect(allFinished(host)[1]).toMatchObject({ counts: { completed: 1, failed: 0, cancelled: 0 } })
  })

  test('is not said while something comes back by itself at a time that is known', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const id = await host.addRunning('http://host.test/plain/1')
    for (const { worker, order } of await host.ordersOf(id))
      host.workers.trouble(worker, order, 'network-wait')
    await settled()
    expect(await host.state(id)).toBe('PAUSED')
    expect(allFinished(host)).toEqual([])
    await host.call('tasks.cancel', { ids: [id] })
    expect(allFinished(host)).toHaveLength(1)
  })
})

describe('what follows', () => {
  test('is done a minute later, once', async () => {
    const done: string[] = []
    const host = await sleepyHost(done)
    await host.add(...plainLinks(1))
    expect(await host.call('power.set', { action: 'sleep' })).toMatchObject({ action: 'sleep', dueAt: null })
    await finishAll(host)
    const { dueAt } = await host.call('power.get', {})
    expect(dueAt).toBe(host.clock.now() + 60_000)
    await host.clock.advance(59_000)
    expect(done).toEqual([])
    await host.clock.advance(1000)
    expect(done).toEqual(['sleep'])
    expect(await host.call('power.get', {})).toMatchObject({ action: 'none', dueAt: null })
    await host.add(...plainLinks(1))
    await finishAll(host)
    await host.clock.advance(120_000)
    expect(done).toEqual(['sleep'])
  })

  test('can be cancelled within that minute, and is put off by new work', async () => {
    const done: string[] = []
    const host = await sleepyHost(done)
    await host.call('power.set', { action: 'quit' })
    await host.add(...plainLinks(1))
    await finishAll(host)
    await host.add(...plainLinks(1, 'late.test'))
    expect(await host.call('power.get', {})).toMatchObject({ action: 'quit', dueAt: null })
    await host.clock.advance(10_000)
    await finishAll(host)
    expect((await host.call('power.get', {})).dueAt).not.toBeNull()
    await host.call('power.set', { action: 'none' })
    await host.clock.advance(120_000)
    expect(done).toEqual([])
    const told = host.events.flatMap(({ name, event }) => (name === 'power.changed' ? [event] : []))
    expect(told.at(-1)).toMatchObject({ action: 'none', dueAt: null })
  })

  test('is refused where the host cannot do it, and does not outlive the host', async () => {
    const done: string[] = []
    const host = await sleepyHost(done)
    expect((await host.call('power.get', {})).available).toEqual(['none', 'quit', 'sleep'])
    const answer = await host.client.call('power.set', { action: 'shut-down' })
    expect(answer).toMatchObject({ ok: false, error: { code: 'UNSUPPORTED' } })
    await host.call('power.set', { action: 'quit' })
    await host.restartHost()
    expect((await host.call('power.get', {})).action).toBe('none')
  })
})
