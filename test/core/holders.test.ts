import { describe, expect, test } from 'vitest'
import { downloads } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'
import { startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

const link = 'http://host.test/plain/1'
const path = `${downloads}/file.bin`

async function addAgain(host: TestHost, duplicates: 'ask' | 'use' | 'allow', links = [link]) {
  const { results } = await host.call('tasks.add', { links, options: { duplicates } })
  return results
}

/** A complete task, and another one that shares its file. */
async function shared() {
  const host = await startedHost()
  const first = await host.addRunning(link)
  await host.finish(first)
  await settled()
  const [added] = await addAgain(host, 'use')
  if (added?.kind !== 'added') throw new Error('it was not added')
  return { host, first, second: added.id }
}

const remove = (host: TestHost, ...ids: string[]) =>
  host.call('tasks.delete', { target: { ids }, deleteFiles: true, undoable: false })

describe('a link that is in the list already', () => {
  test('can be asked about: the answer says which task, and whether its file is whole', async () => {
    const host = await startedHost()
    const first = await host.addRunning(link)
    const before = host.stored()
    const details = { duplicateOf: first, isWhole: false }
    expect(await addAgain(host, 'ask')).toMatchObject([
      { kind: 'refused', error: { code: 'CONFLICT', details } },
    ])
    expect(await addAgain(host, 'use')).toMatchObject([{ kind: 'refused', error: { code: 'CONFLICT' } }])
    expect(host.stored()).toBe(before)
    await host.finish(first)
    await settled()
    expect(await addAgain(host, 'ask')).toMatchObject([{ error: { details: { ...details, isWhole: true } } }])
  })

  test('is downloaded under a new name when that is wanted', async () => {
    const host = await startedHost()
    const first = await host.addRunning(link)
    await host.finish(first)
    const [added] = await addAgain(host, 'allow')
    await host.work()
    expect(added?.kind).toBe('added')
    expect(host.files.paths()).toEqual([`${downloads}/file (1).bin`, path])
  })

  test('is none when its file is gone, it was cancelled, or another folder or name is wanted', async () => {
    const { host, first } = await shared()
    const options = { duplicates: 'ask' as const }
    for (const other of [{ folder: '/elsewhere' }, { name: 'other.bin' }]) {
      const { results } = await host.call('tasks.add', { links: [link], options: { ...options, ...other } })
      expect(results).toMatchObject([{ kind: 'added' }])
    }
    host.files.delete(path)
    expect(await addAgain(host, 'ask', ['http://host.test/plain/2'])).toMatchObject([{ kind: 'added' }])
    await host.call('tasks.cancel', { query: { filter: 'all', search: '' } })
    expect((await host.task(first)).id).toBe(first)
    expect(await addAgain(host, 'ask')).toMatchObject([{ kind: 'added' }])
  })

  test('given twice at once is taken once', async () => {
    const host = await startedHost()
    const results = await addAgain(host, 'ask', [link, link])
    expect(results.map((result) => result.kind)).toEqual(['added', 'refused'])
  })
})

describe('invariant 18: a file and its holders', () => {
  test('a task that shares a file is complete at once, with a job of its own in the history', async () => {
    const { host, first, second } = await shared()
    expect(await host.state(second)).toBe('COMPLETED')
    const [a, b] = [await host.task(first), await host.task(second)]
    expect(b.job.id).not.toBe(a.job.id)
    expect(b.job.end?.outputs).toEqual([path])
    expect((await host.call('history.list', { limit: 10 })).entries).toHaveLength(2)
    expect((await host.store.claimsOn(path)).map((claim) => claim.taskId).toSorted()).toEqual(
      [first, second].toSorted(),
    )
  })

  test('the file stays while anybody holds it, and goes with the last one who asks for it', async () => {
    const { host, first, second } = await shared()
    await remove(host, first)
    expect(host.files.paths()).toEqual([path])
    await remove(host, second)
    expect(host.files.paths()).toEqual([])
  })

  test('it goes as well when all let go at the same moment', async () => {
    const { host, first, second } = await shared()
    const target = { ids: [first, second] }
    await host.call('tasks.delete', { target, deleteFiles: true, undoable: true })
    await host.clock.advance(9000)
    expect(host.files.paths()).toEqual([])
    expect(host.store.snapshot().claims.size).toBe(0)
  })

  test('letting go twice is letting go once', async () => {
    const { host, first, second } = await shared()
    await remove(host, first)
    await remove(host, first)
    expect(host.files.paths()).toEqual([path])
    expect((await host.store.claimsOn(path)).map((claim) => claim.taskId)).toEqual([second])
  })

  test('one who downloads again gets a file of his own', async () => {
    const { host, first, second } = await shared()
    await host.call('tasks.redownload', { ids: [second] })
    await host.work()
    expect(await host.state(second)).toBe('COMPLETED')
    expect(host.files.paths()).toEqual([`${downloads}/file (1).bin`, path])
    await remove(host, first)
    expect(host.files.paths()).toEqual([`${downloads}/file (1).bin`])
  })
})
