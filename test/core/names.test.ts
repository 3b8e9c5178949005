import { describe, expect, test } from 'vitest'
import { downloads } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'
import { startedHost } from './hosts.ts'

describe('names', () => {
  test('two tasks never get one, whatever case or composition it is written in', async () => {
    const host = await startedHost({ maxConcurrentTasks: 3 })
    const add = async (name: string) => {
      const { results } = await host.call('tasks.add', {
        links: ['http://h.test/plain/1'],
        options: { name },
      })
      return results[0]?.kind === 'added' ? results[0].id : ''
    }
    await add('Caf\u00e9.bin')
    await add('cafe\u0301.BIN')
    await add('CAF\u00c9.bin')
    await host.work()
    expect(host.files.paths()).toEqual(
      ['Caf\u00e9.bin', 'CAF\u00c9 (2).bin', 'cafe\u0301 (1).BIN']
        .map((name) => `${downloads}/${name}`)
        .toSorted(),
    )
  })

  test('a file that is there already is numbered around, also when it appears at the last moment', async () => {
    const host = await startedHost()
    host.files.write(`${downloads}/file.bin`, 7)
    const id = await host.addRunning('http://h.test/plain/1')
    host.files.write(`${downloads}/file (1).bin`, 8)
    await host.finish(id)
    await settled()
    expect(await host.state(id)).toBe('COMPLETED')
    expect((await host.task(id)).files[0]?.name).toMatch(/^file \(/)
    expect(host.files.stat(`${downloads}/file.bin`)?.size).toBe(7)
    expect(host.files.stat(`${downloads}/file (1).bin`)?.size).toBe(8)
    expect((await host.step(id, 'download')).output?.path).not.toBe(`${downloads}/file (1).bin`)
  })

  test('C020 in a queue whose names collide each task ends, under a name of its own', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    host.files.write(`${downloads}/file.bin`, 7)
    const links = [1, 2, 3, 4, 5].map((number) => `http://h.test/plain/${number}`)
    const { results } = await host.call('tasks.add', { links })
    await host.work()
    for (const result of results) {
      expect(result.kind === 'added' ? await host.state(result.id) : result.kind).toBe('COMPLETED')
    }
    const taken = ['', ' (1)', ' (2)', ' (3)', ' (4)', ' (5)'].map(
      (number) => `${downloads}/file${number}.bin`,
    )
    expect(host.files.paths()).toEqual(taken.toSorted())
    expect(host.files.stat(`${downloads}/file.bin`)?.size).toBe(7)
  })

  test('B16 the name of a complete task whose file the user deleted blocks nothing', async () => {
    const host = await startedHost()
    const first = await host.addRunning('http://h.test/plain/1')
    await host.finish(first)
    host.files.delete(`${downloads}/file.bin`)
    const second = await host.addRunning('http://h.test/plain/2')
    await host.finish(second)
    expect((await host.step(second, 'download')).output?.path).toBe(`${downloads}/file.bin`)
  })

  test('a file that is too young for the last listing is met all the same, and its task keeps the name', async () => {
    const host = await startedHost()
    host.files.seemsTaken = () => Promise.resolve(false)
    host.files.write(`${downloads}/file.bin`, 7)
    const first = await host.addRunning('http://h.test/plain/1')
    await host.finish(first)
    const second = await host.addRunning('http://h.test/plain/2')
    await host.finish(second)
    const paths = [1, 2].map((number) => `${downloads}/file (${number}).bin`)
    expect((await host.step(first, 'download')).output?.path).toBe(paths[0])
    expect((await host.step(second, 'download')).output?.path).toBe(paths[1])
    expect((await host.store.claimsOn(paths[0] ?? '')).map(({ taskId }) => taskId)).toEqual([first])
    expect(host.files.stat(`${downloads}/file.bin`)?.size).toBe(7)
  })

  test('who holds a name is only asked when the commit that takes it is refused', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const asked: string[] = []
    const { store } = host
    const claimsOn = store.claimsOn.bind(store)
    store.claimsOn = (path) => (asked.push(path), claimsOn(path))
    const first = await host.addRunning('http://h.test/plain/1')
    expect(asked).toEqual([])
    const second = await host.addRunning('http://h.test/plain/2')
    expect(asked).toEqual([`${downloads}/file.bin`, `${downloads}/file (1).bin`])
    expect((await host.task(first)).files[0]?.name).toBe('file.bin')
    expect((await host.task(second)).files[0]?.name).toBe('file (1).bin')
  })

  test('a failed task keeps its name for its restart', async () => {
    const host = await startedHost()
    const first = await host.addRunning('http://h.test/plain/1')
    for (const { worker, order } of await host.ordersOf(first)) host.workers.trouble(worker, order, 'fail')
    await settled()
    const second = await host.addRunning('http://h.test/plain/2')
    await host.finish(second)
    expect((await host.step(second, 'download')).output?.path).toBe(`${downloads}/file (1).bin`)
    await host.call('tasks.restart', { ids: [first] })
    await host.work()
    expect((await host.step(first, 'download')).output?.path).toBe(`${downloads}/file.bin`)
  })

  test('the first response corrects a guessed name, not one that the user gave', async () => {
    const host = await startedHost()
    const guessed = await host.addRunning('http://h.test/plain/1')
    const { results } = await host.call('tasks.add', {
      links: ['http://h.test/plain/2'],
      options: { name: 'mine.bin' },
    })
    const given = results[0]?.kind === 'added' ? results[0].id : ''
    await host.finish(given)
    for (const id of [guessed, given]) {
      for (const { worker, order } of await host.ordersOf(id)) {
        worker.report({
          kind: 'facts',
          stepId: order.stepId,
          preemptible: true,
          resource: null,
          suggestedName: 'right.bin',
        })
      }
      await settled()
    }
    expect((await host.task(guessed)).files[0]?.name).toBe('right.bin')
    expect((await host.task(given)).files[0]?.name).not.toBe('right.bin')
    expect((await host.task(given)).parameters.name).toBe('mine.bin')
  })

  test('a cancelled task holds what it has published until it is deleted', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/list/1')
    await host.finish(id)
    await host.call('tasks.cancel', { ids: [id] })
    expect(await host.state(id)).toBe('CANCELLED')
    expect((await host.store.claimsOf(id)).map((claim) => claim.path)).toEqual([`${downloads}/one.bin`])
    await host.call('tasks.delete', { target: { ids: [id] }, deleteFiles: true, undoable: false })
    expect(host.files.paths()).toEqual([])
  })

  test('a cancelled task lets go of its name and its partials', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://h.test/plain/1')
    await host.advance(id, 10)
    await host.call('tasks.cancel', { ids: [id] })
    await settled()
    expect(await host.store.claimsOf(id)).toEqual([])
    expect(host.files.removedFolders).toContain(`${downloads}/.sluice-task-${id}`)
    expect((await host.task(id)).request).toBeNull()
  })
})

describe('deleting', () => {
  test('takes the files only when asked, and only if they are as we wrote them', async () => {
    const host = await startedHost()
    const ids: string[] = []
    for (const number of [1, 2, 3]) {
      const id = await host.addRunning(`http://h.test/plain/${number}`)
      await host.finish(id)
      ids.push(id)
    }
    const [kept = '', changed = '', gone = ''] = ids
    host.files.delete(`${downloads}/file (1).bin`)
    host.files.write(`${downloads}/file (1).bin`, 5)
    const remove = (id: string, deleteFiles: boolean) =>
      host.call('tasks.delete', { target: { ids: [id] }, deleteFiles, undoable: false })
    await remove(kept, false)
    await remove(changed, true)
    await remove(gone, true)
    expect(host.files.paths()).toEqual([`${downloads}/file (1).bin`, `${downloads}/file.bin`])
    for (const id of ids) expect(await host.store.load(id)).toBeUndefined()
  })

  test('C070 a paused task takes its own folder along and nothing of one that runs beside it', async () => {
    const host = await startedHost()
    const paused = await host.addRunning('http://h.test/plain/1')
    await host.advance(paused, 100)
    await host.call('tasks.pause', { ids: [paused] })
    await settled()
    const running = await host.addRunning('http://h.test/plain/2')
    await host.advance(running, 100)
    await host.call('tasks.delete', { target: { ids: [paused] }, deleteFiles: true, undoable: false })
    await settled()
    expect(host.files.removedFolders).toEqual([`${downloads}/.sluice-task-${paused}`])
    await host.finish(running)
    expect(await host.state(running)).toBe('COMPLETED')
    expect(host.files.paths()).toEqual([(await host.step(running, 'download')).output?.path])
  })

  test('in the window is final after 8 s, and can be undone before', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://h.test/plain/1')
    await host.advance(id, 100)
    const remove = () =>
      host.call('tasks.delete', { target: { ids: [id] }, deleteFiles: true, undoable: true })
    await remove()
    await host.clock.advance(7000)
    expect((await host.call('tasks.rows', { ids: [id] })).rows).toEqual([])
    await host.call('tasks.undoDelete', { ids: [id] })
    expect((await host.task(id)).pause?.kind).toBe('user')
    expect((await host.step(id, 'download')).checkpoint).toMatchObject({ ranges: [[0, 100]] })
    await host.clock.advance(20_000)
    expect(await host.state(id)).toBe('PAUSED')
    await remove()
    await host.clock.advance(8100)
    expect(await host.store.load(id)).toBeUndefined()
    const { entries } = await host.call('history.list', { limit: 10 })
    expect(entries.map((job) => job.end?.state)).toEqual(['CANCELLED'])
  })

  test('goes on without the drive: the record goes, the files stay, the fault is told', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://h.test/plain/1')
    await host.call('tasks.pause', { ids: [id] })
    host.files.failRemoving = true
    await host.call('tasks.delete', { target: { ids: [id] }, deleteFiles: true, undoable: false })
    expect(await host.store.load(id)).toBeUndefined()
    expect(host.faults).toHaveLength(1)
  })
})
