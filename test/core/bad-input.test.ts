import { describe, expect, test } from 'vitest'
import { settled } from '../fakes/fake-clock.ts'
import { bad, refused } from './bad-input-cases.ts'
import { startedHost } from './hosts.ts'

/** A list with a task in each interesting state, and the words that stand for their ids. */
async function scene() {
  const host = await startedHost(
    { maxConcurrentTasks: 1 },
    { mayWrite: (folder) => folder.startsWith('/downloads') },
  )
  const complete = await host.addRunning('http://a.test/plain/1')
  await host.finish(complete)
  const [cancelled = ''] = await host.add('http://a.test/plain/2')
  await host.call('tasks.cancel', { ids: [cancelled] })
  const running = await host.addRunning('http://a.test/plain/3')
  const [waiting = ''] = await host.add('http://a.test/plain/4')
  await settled()
  const live = (await host.task(running)).job.id
  const names: Record<string, string> = { complete, cancelled, running, waiting, live }
  const withIds = (input: unknown): unknown => {
    if (typeof input === 'string') return names[input] ?? input
    if (Array.isArray(input)) return input.map(withIds)
    if (typeof input !== 'object' || input === null) return input
    return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, withIds(value)]))
  }
  return { host, withIds }
}

describe('invariant 22: what is refused leaves the database as it was', () => {
  test.each(bad)('%s', async (_text, name, input, code) => {
    const { host, withIds } = await scene()
    const before = host.stored()
    const answer = await host.client.call(name, withIds(input))
    expect(answer).toMatchObject({ ok: false, error: { code } })
    expect(host.stored()).toBe(before)
  })

  test.each(refused)('%s', async (_text, name, input, code) => {
    const { host, withIds } = await scene()
    const before = host.stored()
    const answer = await host.client.call(name, withIds(input))
    expect(answer).toMatchObject({ ok: true, value: { results: [{ kind: 'refused', error: { code } }] } })
    expect(host.stored()).toBe(before)
  })

  test('a bad link does not keep the good ones out', async () => {
    const host = await startedHost()
    const { results } = await host.call('tasks.add', {
      links: ['http://a.test/1', 'nonsense', 'http://a.test/2'],
    })
    expect(results.map((result) => result.kind)).toEqual(['added', 'refused', 'added'])
  })
})
