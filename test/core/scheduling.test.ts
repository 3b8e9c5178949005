import { describe, expect, test } from 'vitest'
import { SluiceError } from '../../src/shared/errors.ts'
import { settled } from '../fakes/fake-clock.ts'
import { plainLinks, startedHost } from './hosts.ts'

describe('the queue', () => {
  test('runs as many as the setting says, in order, and the next when one ends', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const [a = '', b = '', c = '', d = ''] = await host.add(...plainLinks(4))
    expect(host.running()).toEqual([a, b])
    expect(host.waiting()).toEqual([c, d])
    await host.call('tasks.cancel', { ids: [a] })
    expect(host.running()).toEqual([b, c])
  })

  test('starts what comes first of a long list while the rest of it is being added', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const runningAtCommit: number[] = []
    const { store } = host
    const commit = store.commit.bind(store)
    store.commit = async (changes) => {
      const result = await commit(changes)
      if (changes.filter(({ kind }) => kind === 'put-task').length === 50) {
        await settled()
        runningAtCommit.push(host.running().length)
      }
      return result
    }
    const ids = await host.add(...plainLinks(700))
    expect(runningAtCommit).toEqual(Array.from({ length: 13 }, () => 2))
    expect(host.running()).toEqual(ids.slice(0, 2))
    expect(host.waiting()).toEqual(ids.slice(2))
  })

  test('invariant 6: preempted tasks return to the head in their old order, whichever stops first', async () => {
    const host = await startedHost({ maxConcurrentTasks: 4 })
    const [a = '', b = '', c = '', d = '', e = ''] = await host.add(...plainLinks(5))
    const last = await host.workerOf(d)
    host.workers.deaf.add(last)
    await host.call('settings.set', { maxConcurrentTasks: 1 })
    expect(host.running()).toEqual([a, d])
    expect(host.waiting()).toEqual([b, c, e])
    last.crash()
    await settled()
    expect(host.waiting()).toEqual([b, c, d, e])
    await host.restartHost()
    expect(host.running()).toEqual([a])
    expect(host.waiting()).toEqual([b, c, d, e])
  })

  test('invariant 5: lowering skips a mux, stops an older task instead, and the mux keeps its process', async () => {
    const host = await startedHost({ maxConcurrentTasks: 3 })
    const plain = await host.addRunning('http://host.test/plain/1')
    const other = await host.addRunning('http://host.test/plain/2')
    const film = await host.addRunning('http://host.test/pair/3')
    await host.finish(film)
    expect((await host.step(film, 'mux')).state).toBe('RUNNING')
    const { pid } = await host.workerOf(film)
    await host.call('settings.set', { maxConcurrentTasks: 1 })
    expect(host.running()).toEqual([film])
    expect(host.waiting()).toEqual([plain, other])
    expect((await host.workerOf(film)).pid).toBe(pid)
  })

  test('lowering takes an older task instead of one whose selection is being changed', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const plain = await host.addRunning('http://host.test/plain/1')
    const list = await host.addRunning('http://host.test/list/2')
    host.workers.deaf.add(await host.workerOf(list))
    const { files } = await host.task(list)
    await host.call('tasks.select', { id: list, selected: [files[1]?.id ?? ''] })
    expect((await host.task(list)).request?.kind).toBe('select')
    await host.call('settings.set', { maxConcurrentTasks: 1 })
    expect(host.running()).toEqual([list])
    expect(host.waiting()).toEqual([plain])
  })

  test('a victim that cannot be asked now is asked again a second later', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const [a = '', b = ''] = await host.add(...plainLinks(2))
    await host.call('settings.set', { maxConcurrentTasks: 1 })
    await host.call('settings.set', { maxConcurrentTasks: 2 })
    expect(host.running()).toEqual([a, b])
    const commit = host.store.commit.bind(host.store)
    let refused = 0
    host.store.commit = async (changes) => {
      if (changes.some((change) => change.kind === 'put-task')) {
        refused++
        throw new SluiceError('STORAGE_FULL', 'the database cannot grow')
      }
      return commit(changes)
    }
    await host.call('settings.set', { maxConcurrentTasks: 1 })
    expect(refused).toBe(1)
    host.store.commit = commit
    await host.clock.advance(999)
    expect(host.running()).toEqual([a, b])
    await host.clock.advance(1)
    expect(host.running()).toEqual([a])
  })

  test('a download that must not be stopped is preempted once it says that it may be', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    await host.addRunning('http://host.test/plain/1')
    const stuck = await host.addRunning('http://host.test/plain/2')
    const [first] = await host.ordersOf(stuck)
    const stepId = first?.order.stepId ?? ''
    const say = async (preemptible: boolean) => {
      first?.worker.report({ kind: 'facts', stepId, preemptible, resource: null, suggestedName: null })
      await settled()
    }
    const older = host.running()[0] ?? ''
    const [olderOrder] = await host.ordersOf(older)
    await say(false)
    olderOrder?.worker.report({
      kind: 'facts',
      stepId: olderOrder.order.stepId,
      preemptible: false,
      resource: null,
      suggestedName: null,
    })
    await settled()
    await host.call('settings.set', { maxConcurrentTasks: 1 })
    expect(host.running()).toEqual([older, stuck])
    await say(true)
    expect(host.running()).toEqual([older])
    expect(host.waiting()).toEqual([stuck])
  })

  test('U10 raising the limit dispatches at once', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const ids = await host.add(...plainLinks(3))
    expect(host.running()).toHaveLength(1)
    await host.call('settings.set', { maxConcurrentTasks: 3 })
    expect(host.running()).toEqual(ids)
  })

  test('start now takes one over the limit, which nobody has to make room for', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const [a = '', b = '', c = ''] = await host.add(...plainLinks(3))
    await host.call('tasks.startNow', { id: c })
    expect(host.running()).toEqual([a, c])
    expect(host.waiting()).toEqual([b])
    await host.call('settings.set', { maxConcurrentTasks: 2 })
    expect(host.running()).toEqual([a, c, b])
  })

  test('a limit lowered while a worker is being found gives the start up', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const gate = Promise.withResolvers<undefined>()
    host.pool.gate = gate.promise
    const ids = await host.add(...plainLinks(2))
    await host.call('settings.set', { maxConcurrentTasks: 1 })
    gate.resolve(undefined)
    await settled()
    expect(host.running()).toEqual([ids[0]])
    expect(host.waiting()).toEqual([ids[1]])
  })

  test('invariant 27: a worker that cannot be started is tried again, and the queue goes on', async () => {
    const host = await startedHost()
    host.pool.failNextAcquire = true
    const [a = ''] = await host.add(...plainLinks(1))
    expect(host.waiting()).toEqual([a])
    await host.clock.advance(1000)
    expect(host.running()).toEqual([a])
  })

  test('B17 failed tasks free their slot', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const ids = await host.add(...plainLinks(4))
    for (const id of ids.slice(0, 3)) {
      for (const { worker, order } of await host.ordersOf(id)) host.workers.trouble(worker, order, 'fail')
      await settled()
      expect(await host.state(id)).toBe('FAILED')
    }
    expect(host.running()).toEqual([ids[3]])
  })
})

describe('moving', () => {
  test('U5 several to the front keep their order, the last call wins', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const [, b = '', c = '', d = '', e = ''] = await host.add(...plainLinks(5))
    await host.call('tasks.move', { ids: [e, d], before: 'front' })
    expect(host.waiting()).toEqual([d, e, b, c])
    await host.call('tasks.move', { ids: [c], before: 'front' })
    expect(host.waiting()).toEqual([c, d, e, b])
  })

  test('invariant 7: a task moved to the front is the next to start', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const [a = '', , c = ''] = await host.add(...plainLinks(3))
    await host.call('tasks.move', { ids: [c], before: 'front' })
    await host.call('tasks.cancel', { ids: [a] })
    expect(host.running()).toEqual([c])
  })

  test('between two neighbours works however often it is done', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const [, b = '', c = '', d = ''] = await host.add(...plainLinks(4))
    let [first, second] = [c, d]
    for (let round = 0; round < 120; round++) {
      await host.call('tasks.move', { ids: [second], before: first })
      ;[first, second] = [second, first]
      expect(host.waiting()).toEqual([b, first, second])
    }
  })

  test('C075 an order made by hand survives a restart, and tasks start in it', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const ids = await host.add(...plainLinks(12))
    for (let round = 0; round < 40; round++) {
      const moved = ids[(round * 7) % ids.length] ?? ''
      const before = ids[(round * 5 + 3) % ids.length] ?? ''
      await host.answer('tasks.move', { ids: [moved], before: round % 3 === 0 ? 'front' : before })
    }
    const expected = [...host.running(), ...host.waiting()]
    await host.restartHost()
    const started: string[] = []
    while (host.running().length > 0) {
      const [id = ''] = host.running()
      started.push(id)
      await host.call('tasks.cancel', { ids: [id] })
    }
    expect(started).toEqual(expected)
  })

  test('a task that does not wait is a conflict', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const [a = '', b = ''] = await host.add(...plainLinks(2))
    const before = host.stored()
    const { results } = await host.call('tasks.move', { ids: [a], before: 'front' })
    expect(results).toMatchObject([{ kind: 'refused', error: { code: 'CONFLICT' } }])
    const answer = await host.answer('tasks.move', { ids: [b], before: a })
    expect(answer).toMatchObject({ ok: false, error: { code: 'CONFLICT' } })
    expect(host.stored()).toBe(before)
  })
})
