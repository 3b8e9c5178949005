import { describe, expect, test } from 'vitest'
import { settled } from '../fakes/fake-clock.ts'
import { startedHost } from './hosts.ts'

const query = { filter: 'all', search: '', sort: 'queue', order: 'asc', offset: 0, limit: 10 }

/** Everything that must be refused, and with which code; the database is compared byte for byte. */
const bad: [string, string, unknown, string][] = [
  ['an unknown command', 'tasks.explode', {}, 'INVALID_INPUT'],
  ['no input', 'tasks.pause', undefined, 'INVALID_INPUT'],
  ['a wrong shape', 'tasks.pause', { ids: 'a' }, 'INVALID_INPUT'],
  ['no ids', 'tasks.pause', { ids: [] }, 'INVALID_INPUT'],
  ['too many ids', 'tasks.pause', { ids: Array.from({ length: 10_001 }, () => 'a') }, 'INVALID_INPUT'],
  ['unknown fields', 'tasks.pause', { ids: ['a'], force: true }, 'INVALID_INPUT'],
  ['an id that is no text', 'tasks.details', { id: 7 }, 'INVALID_INPUT'],
  ['a task that does not exist', 'tasks.details', { id: 'nobody' }, 'JOB_NOT_FOUND'],
  ['no links', 'tasks.add', { links: [] }, 'INVALID_INPUT'],
  [
    'a name for several links',
    'tasks.add',
    { links: ['http://a.test/1', 'http://a.test/2'], options: { name: 'x' } },
    'INVALID_INPUT',
  ],
  ['no tasks at once', 'settings.set', { maxConcurrentTasks: 0 }, 'INVALID_INPUT'],
  ['a thousand tasks at once', 'settings.set', { maxConcurrentTasks: 1000 }, 'INVALID_INPUT'],
  ['half a task at once', 'settings.set', { maxConcurrentTasks: 1.5 }, 'INVALID_INPUT'],
  ['not a number', 'settings.set', { retryBudget: Number.NaN }, 'INVALID_INPUT'],
  ['an unknown setting', 'settings.set', { turbo: true }, 'INVALID_INPUT'],
  ['a negative offset', 'list.query', { ...query, offset: -1 }, 'INVALID_INPUT'],
  ['an endless window', 'list.query', { ...query, limit: 1e9 }, 'INVALID_INPUT'],
  ['U6 an unknown sort', 'list.query', { ...query, sort: 'mood' }, 'INVALID_INPUT'],
  ['U6 an unknown filter', 'list.query', { ...query, filter: 'mood' }, 'INVALID_INPUT'],
  ['a job that does not exist', 'history.remove', { jobId: 'nobody' }, 'JOB_NOT_FOUND'],
  ['a job that has not ended', 'history.remove', { jobId: 'live' }, 'CONFLICT'],
  [
    'a move before a task that does not wait',
    'tasks.move',
    { ids: ['waiting'], before: 'running' },
    'CONFLICT',
  ],
]

/** Refused for one task or link each: the command as a whole is answered. */
const refused: [string, string, unknown, string][] = [
  ['not a link', 'tasks.add', { links: ['hello world'] }, 'INVALID_INPUT'],
  ['an empty link', 'tasks.add', { links: [''] }, 'INVALID_INPUT'],
  ['an unsupported scheme', 'tasks.add', { links: ['ftp://a.test/x'] }, 'UNSUPPORTED'],
  ['a script', 'tasks.add', { links: ['javascript:alert(1)'] }, 'UNSUPPORTED'],
  ['a path', 'tasks.add', { links: ['/etc/passwd'] }, 'INVALID_INPUT'],
  [
    'a relative folder',
    'tasks.add',
    { links: ['http://a.test/'], options: { folder: 'x' } },
    'INVALID_INPUT',
  ],
  [
    'a forbidden folder',
    'tasks.add',
    { links: ['http://a.test/'], options: { folder: '/etc' } },
    'FORBIDDEN',
  ],
  ['a path as name', 'tasks.add', { links: ['http://a.test/'], options: { name: '../x' } }, 'INVALID_INPUT'],
  ['a task that does not exist', 'tasks.pause', { ids: ['nobody'] }, 'JOB_NOT_FOUND'],
  ['an empty selection', 'tasks.select', { id: 'running', selected: [] }, 'UNSUPPORTED'],
  ['a file that is not there', 'tasks.select', { id: 'running', selected: ['x'] }, 'INVALID_INPUT'],
  ['a restart of a cancelled task', 'tasks.restart', { ids: ['cancelled'] }, 'CONFLICT'],
  ['a pause of a complete task', 'tasks.pause', { ids: ['complete'] }, 'CONFLICT'],
  ['a cancel of a complete task', 'tasks.cancel', { ids: ['complete'] }, 'CONFLICT'],
  ['a retry of a live task as a new one', 'tasks.retryAsNew', { ids: ['running'] }, 'CONFLICT'],
  ['a review of what needs none', 'tasks.review', { id: 'running', answer: 'keep' }, 'CONFLICT'],
  ['skipped steps of a task that has none', 'tasks.retrySkipped', { ids: ['complete'] }, 'CONFLICT'],
  ['a start of a complete task', 'tasks.startNow', { id: 'complete' }, 'CONFLICT'],
]

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
