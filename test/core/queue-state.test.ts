/**
 * Fault cases of other download managers, by id, as far as they concern the core; C072, C074, C079 are in
 * start-up, C075 in scheduling, C084 in events; C081 and C085 are the engine's.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { taskState } from '../../src/shared/task/derive.ts'
import { downloads } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'
import { plainLinks, startedHost } from './hosts.ts'

describe('the queue', () => {
  test('C078 a hundred running tasks deleted at once are gone, and a new one works', async () => {
    const host = await startedHost({ maxConcurrentTasks: 20 })
    const ids = await host.add(
      ...plainLinks(50),
      ...plainLinks(50).map((link) => link.replace('plain', 'pair')),
    )
    for (const id of host.running().slice(0, 10)) await host.finish(id)
    await host.call('tasks.delete', { target: { ids }, deleteFiles: true, undoable: false })
    await host.clock.advance(6000)
    expect(host.pool.alive).toEqual([])
    expect(host.files.paths()).toEqual([])
    expect(host.store.snapshot().tasks.size).toBe(0)
    const id = await host.addRunning('http://host.test/plain/1')
    await host.finish(id)
    await settled()
    expect(await host.state(id)).toBe('COMPLETED')
  })

  test('C078 pause and delete in the same tick leave nothing behind', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const pause = host.client.call('tasks.pause', { ids: [id] })
    const target = { ids: [id] }
    const remove = host.client.call('tasks.delete', { target, deleteFiles: true, undoable: false })
    await Promise.all([pause, remove])
    await host.clock.advance(100)
    expect(host.pool.alive).toEqual([])
    expect(await host.store.load(id)).toBeUndefined()
  })

  test.each(['while it resolves', 'while it is fetched', 'while it is muxed'])(
    'C078 a deletion %s is the end of it, whatever its worker still says',
    async (when) => {
      const host = await startedHost()
      const [id = ''] = await host.add('http://host.test/pair/1')
      if (when !== 'while it resolves') await host.finish(id)
      if (when === 'while it is muxed') await host.finish(id)
      const late = await host.ordersOf(id)
      for (const { worker } of late) host.workers.deaf.add(worker)
      await host.call('tasks.delete', { target: { ids: [id] }, deleteFiles: true, undoable: false })
      for (const { worker, order } of late) host.workers.finish(worker, order)
      await host.clock.advance(6000)
      for (const { message, worker } of [...host.workers.said]) worker.raw(message)
      await host.clock.advance(1000)
      expect(host.pool.alive).toEqual([])
      expect(host.files.paths()).toEqual([])
      expect(host.store.snapshot().tasks.size).toBe(0)
      expect(host.store.snapshot().claims.size).toBe(0)
    },
  )

  test('C078 deletions at random moments leave nothing behind, and a new task works', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 12 }), fc.boolean(), async (moment, pausesFirst) => {
        const host = await startedHost()
        const ids = await host.add('http://host.test/pair/1', 'http://host.test/list/1')
        for (let step = 0; step < moment; step++) {
          const [open] = host.pool.alive.flatMap((worker) =>
            [...worker.orders.values()].map((order) => ({ worker, order })),
          )
          if (open !== undefined) host.workers.finish(open.worker, open.order)
          await settled()
        }
        if (pausesFirst) void host.client.call('tasks.pause', { ids })
        await host.call('tasks.delete', { target: { ids }, deleteFiles: true, undoable: false })
        await host.clock.advance(2000)
        expect([host.pool.alive, host.files.paths()]).toEqual([[], []])
        const id = await host.addRunning('http://host.test/plain/1')
        await host.finish(id)
        expect(await host.state(id)).toBe('COMPLETED')
      }),
      { numRuns: 25 },
    )
  })

  test('C079 what a cancel of a list meets in mid-resolve adds nothing afterwards', async () => {
    const host = await startedHost()
    const [id = ''] = await host.add('http://host.test/list/1')
    const [resolving] = await host.ordersOf(id)
    if (resolving === undefined) throw new Error('nothing resolves')
    host.workers.deaf.add(resolving.worker)
    await host.call('tasks.cancel', { ids: [id] })
    host.workers.finish(resolving.worker, resolving.order)
    await settled()
    await host.clock.advance(6000)
    await host.restartHost()
    expect(await host.state(id)).toBe('CANCELLED')
    expect(host.store.snapshot().tasks.size).toBe(1)
    expect(host.pool.workers).toEqual([])
  })

  test('C082 the end of the queue counts what failed; each entry is run once', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const ids = await host.add(...plainLinks(5))
    for (let done = 0; done < 2; done++) {
      const [id = ''] = host.running()
      await host.finish(id)
      await host.finish(id)
      await settled()
    }
    await host.restartHost()
    for (let left = 0; left < 3; left++) {
      const [id = ''] = host.running()
      await host.finish(id)
      for (const { worker, order } of await host.ordersOf(id)) {
        if (left < 2) host.workers.trouble(worker, order, 'fail')
        else host.workers.finish(worker, order)
      }
      await settled()
      await settled()
    }
    await host.service.whenIdle()
    const { counts } = await host.call('list.query', {
      filter: 'all',
      search: '',
      sort: 'queue',
      order: 'asc',
      offset: 0,
      limit: 10,
    })
    expect(counts).toMatchObject({ all: 5, completed: 3, failed: 2, waiting: 0, running: 0 })
    expect((await host.call('history.list', { limit: 10 })).entries).toHaveLength(ids.length)
  })

  test('C082 what belongs to a task that is gone keeps nobody from starting', async () => {
    const host = await startedHost()
    const [id = ''] = await host.add('http://host.test/plain/1')
    const { attempt, job } = await host.task(id)
    if (attempt === null) throw new Error('nothing runs')
    const ghost = { ...attempt, id: 'ghost', taskId: 'gone', token: 999 }
    const path = `${downloads}/ghost.bin`
    await host.store.commit([
      { kind: 'put-attempt', attempt: ghost },
      { kind: 'put-job', job: { ...job, id: 'ghost-job', taskId: 'gone' } },
      {
        kind: 'put-claims',
        taskId: 'gone',
        claims: [{ taskId: 'gone', kind: 'output', path, foldedPath: path }],
      },
    ])
    await host.restartHost()
    expect(host.faults).toEqual([])
    expect(host.running()).toEqual([id])
    expect(await host.store.openAttempts()).toMatchObject([{ taskId: id }])
    const { results } = await host.call('tasks.add', {
      links: ['http://host.test/plain/2'],
      options: { name: 'ghost.bin' },
    })
    expect(results).toMatchObject([{ kind: 'added' }])
  })

  test('C083 stop all three times while links are added: one batch each, nothing breaks', async () => {
    const host = await startedHost({ maxConcurrentTasks: 5 })
    await host.add(...plainLinks(205))
    const query = { query: { filter: 'all' as const, search: '' } }
    const calls = [
      host.client.call('tasks.pause', query),
      host.client.call('tasks.add', { links: plainLinks(5, 'late.test') }),
      host.client.call('tasks.pause', query),
      host.client.call('tasks.add', { links: plainLinks(5, 'later.test') }),
      host.client.call('tasks.pause', query),
    ]
    const answers = await Promise.all(calls)
    await host.clock.advance(1000)
    expect(answers.every((answer) => answer.ok)).toBe(true)
    const tasks = [...host.store.snapshot().tasks.values()]
    expect(tasks).toHaveLength(215)
    expect(tasks.filter((task) => taskState(task) === 'PAUSED').length).toBeGreaterThanOrEqual(205)
    expect(host.faults).toEqual([])
  })

  test('C085 progress never goes back within an attempt, and is below 100 until the end', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/pair/1')
    const shown: number[] = []
    const look = async () => {
      const [row] = (await host.call('tasks.rows', { ids: [id] })).rows
      shown.push(row?.progress ?? -1)
    }
    for (let part = 0; part < 4; part++) {
      for (const { worker, order } of await host.ordersOf(id)) {
        // The total turns out to be larger than was thought.
        worker.report({
          kind: 'progress',
          steps: [
            {
              stepId: order.stepId,
              doneBytes: 200 * (part + 1),
              size: 1000 + part * 500,
              fraction: 0,
              bytesPerSecond: 1,
              activity: 'transferring',
            },
          ],
        })
      }
      await look()
    }
    await host.finish(id)
    await look()
    await host.finish(id)
    await settled()
    expect(shown).toEqual(shown.toSorted((a, b) => a - b))
    expect(Math.max(...shown)).toBeLessThan(100)
    await look()
    expect(shown.at(-1)).toBe(100)
  })
})

describe('ten thousand links', () => {
  test('are added in a few transactions, each with its answer', async () => {
    const host = await startedHost()
    const links = plainLinks(10_000)
    links[5000] = 'nonsense'
    const { results } = await host.call('tasks.add', { links })
    expect(results).toHaveLength(10_000)
    expect(results.filter((result) => result.kind === 'refused')).toHaveLength(1)
    const { total, counts } = await host.call('list.query', {
      filter: 'waiting',
      search: '',
      sort: 'queue',
      order: 'asc',
      offset: 0,
      limit: 100,
    })
    expect(total).toBe(9996)
    expect(counts.running).toBe(3)
  })

  test('are paused and restarted by one query', async () => {
    const host = await startedHost()
    await host.call('tasks.add', { links: plainLinks(3000) })
    const query = { query: { filter: 'all' as const, search: '' } }
    expect((await host.call('tasks.pause', query)).results).toHaveLength(3000)
    await host.clock.advance(100)
    expect(host.running()).toEqual([])
    await host.call('tasks.restart', query)
    expect(host.running()).toHaveLength(3)
  })
})

describe('secrets', () => {
  test('invariant 23: appear in no answer, event, history or notice', async () => {
    const host = await startedHost()
    const canary = 'canary-7f3a'
    const { results } = await host.call('tasks.add', {
      links: [`http://user:${canary}@host.test/plain/1`],
      options: { headers: [['Cookie', `session=${canary}`]], proxy: `http://u:${canary}@proxy.test:1` },
    })
    const id = results[0]?.kind === 'added' ? results[0].id : ''
    await host.client.watchList({
      filter: 'all',
      search: '',
      sort: 'queue',
      order: 'asc',
      offset: 0,
      limit: 10,
    })
    await host.finish(id)
    const [running] = await host.ordersOf(id)
    const leak = { code: 'HTTP_ERROR' as const, message: `it said session=${canary}`, hint: 'h' }
    running?.worker.report({
      kind: 'outcome',
      stepId: running.order.stepId,
      outcome: { kind: 'failed', error: leak },
      isLast: true,
    })
    await host.clock.advance(2000)
    const answers = [
      await host.call('tasks.details', { id }),
      await host.call('tasks.rows', { ids: [id] }),
      await host.call('history.list', { limit: 10 }),
      host.events,
    ]
    expect(await host.state(id)).toBe('FAILED')
    expect(JSON.stringify(answers)).not.toContain(canary)
    // What the worker is given still has it: the download would not work without.
    expect(JSON.stringify(running?.order)).toContain(canary)
  })
})
