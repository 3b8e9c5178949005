import { describe, expect, test } from 'vitest'
import { taskState } from '../../src/shared/task/derive.ts'
import { settled } from '../fakes/fake-clock.ts'
import { startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

const link = 'http://host.test/list/1'

/** Workers that take an order and say nothing until the test does. */
async function silentHost(): Promise<TestHost> {
  const host = await startedHost()
  host.pool.onHostMessage = null
  return host
}

describe('looking a link up', () => {
  test('says what there is, stores nothing and gives the worker back', async () => {
    const host = await startedHost()
    const before = host.stored()
    const found = await host.call('links.lookup', { link })
    expect(found.files.map((file) => file.name)).toEqual(['one.bin', 'two.mp4', 'three.bin'])
    expect(host.stored()).toBe(before)
    expect(host.pool.alive).toEqual([])
  })

  test('runs four at a time, the next when one ends', async () => {
    const host = await silentHost()
    const asked = Array.from({ length: 6 }, () => host.client.call('links.lookup', { link }))
    await settled()
    expect(host.pool.alive).toHaveLength(4)
    const [first] = host.pool.alive
    const [order] = first === undefined ? [] : [...first.orders.values()]
    if (first === undefined || order === undefined) throw new Error('nothing is looked up')
    host.workers.finish(first, order)
    await settled()
    expect(host.pool.alive).toHaveLength(4)
    expect(host.pool.workers).toHaveLength(5)
    await host.clock.advance(31_000)
    await host.clock.advance(31_000)
    const answers = await Promise.all(asked)
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1)
    expect(host.pool.alive).toEqual([])
  })

  test('can be cancelled, also before its turn', async () => {
    const host = await silentHost()
    const asked = ['a', 'b', 'c', 'd', 'e'].map((lookupId) =>
      host.client.call('links.lookup', { link, lookupId }),
    )
    await settled()
    for (const lookupId of ['e', 'a']) {
      expect(await host.call('links.cancelLookup', { lookupId })).toEqual({ cancelled: true })
    }
    expect(await host.call('links.cancelLookup', { lookupId: 'nobody' })).toEqual({ cancelled: false })
    await settled()
    expect(host.pool.alive).toHaveLength(3)
    for (const answer of [await asked[0], await asked[4]]) {
      expect(answer).toMatchObject({ ok: false, error: { code: 'CONFLICT' } })
    }
  })

  test('ends with the connection that asked for it', async () => {
    const host = await silentHost()
    const other = host.service.connect(() => undefined)
    const asked = other.call('links.lookup', { link })
    await settled()
    expect(host.pool.alive).toHaveLength(1)
    other.close()
    expect(await asked).toMatchObject({ ok: false })
    expect(host.pool.alive).toEqual([])
  })
})

describe('adding what was looked up', () => {
  async function looked() {
    const host = await startedHost()
    return { host, planId: (await host.call('links.lookup', { link })).planId }
  }

  async function add(host: TestHost, options: object, links = [link]) {
    return host.client.call('tasks.add', { links, options })
  }

  test('needs no second look', async () => {
    const { host, planId } = await looked()
    await add(host, { planId, files: [2, 0] })
    await settled()
    const [task] = host.store.snapshot().tasks.values()
    expect(task?.files.map((file) => file.selected)).toEqual([true, false, true])
    expect(task?.steps[0]).toMatchObject({ kind: 'resolve', state: 'COMPLETED' })
    expect(task === undefined ? '' : taskState(task)).toBe('RUNNING')
  })

  test('is kept for ten minutes, then the link is asked again', async () => {
    const { host, planId } = await looked()
    await host.clock.advance(10 * 60_000 + 1)
    await add(host, { planId, startPaused: true })
    const [task] = host.store.snapshot().tasks.values()
    expect(task?.files).toEqual([])
    expect(await add(host, { planId, files: [0] })).toMatchObject({
      value: { results: [{ kind: 'refused', error: { code: 'CONFLICT' } }] },
    })
  })

  test('of another link, a file that it does not offer and several links are refused', async () => {
    const { host, planId } = await looked()
    const before = host.stored()
    const refused = { value: { results: [{ kind: 'refused', error: { code: 'INVALID_INPUT' } }] } }
    expect(await add(host, { planId }, ['http://host.test/list/2'])).toMatchObject(refused)
    expect(await add(host, { planId, files: [3] })).toMatchObject(refused)
    for (const files of [[], [-1], [0.5]]) {
      expect(await add(host, { planId, files })).toMatchObject({ error: { code: 'INVALID_INPUT' } })
    }
    expect(await add(host, { planId }, [link, link])).toMatchObject({ error: { code: 'INVALID_INPUT' } })
    expect(host.stored()).toBe(before)
  })
})
