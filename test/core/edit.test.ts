import { describe, expect, test } from 'vitest'
import { settled } from '../fakes/fake-clock.ts'
import { downloads } from '../fakes/core-world.ts'
import type { CommandInput } from '../../src/shared/contract/commands.ts'
import { startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

type Edit = Omit<CommandInput<'tasks.edit'>, 'id' | 'deleteFiles' | 'startAfterEdit'>

function edit(host: TestHost, id: string, changes: Edit, startAfterEdit = true) {
  return host.answer('tasks.edit', { id, ...changes, deleteFiles: false, startAfterEdit })
}

async function partly(host: TestHost, link: string): Promise<string> {
  const id = await host.addRunning(link)
  await host.advance(id, 400)
  await host.call('tasks.pause', { ids: [id] })
  return id
}

/** The link is refused, the resolver is asked again and brings no better one. */
async function expire(host: TestHost, id: string): Promise<void> {
  const refuse = async () => {
    for (const { worker, order } of await host.ordersOf(id)) host.workers.trouble(worker, order, 'source')
    await settled()
  }
  await refuse()
  await host.finish(id)
  await refuse()
}

describe('a fresh link', () => {
  test('keeps what arrived when both sides give the same strong validator', async () => {
    const host = await startedHost()
    const id = await partly(host, 'http://strong.test/plain/1')
    await edit(host, id, { link: 'http://strong.test/plain/2' })
    const step = await host.step(id, 'download')
    expect(step.checkpoint).toMatchObject({ ranges: [[0, 400]] })
    expect(step.input).toMatchObject({ source: { url: 'http://strong.test/plain/2/file.bin' } })
  })

  test('does not keep it when two strong validators differ', async () => {
    const host = await startedHost()
    const id = await partly(host, 'http://strong.test/plain/1')
    await edit(host, id, { link: 'http://strong.test/plain/long/2' })
    expect(await host.step(id, 'download')).toMatchObject({ checkpoint: null, doneBytes: 0 })
    expect(host.files.removedFolders).toContain(`${downloads}/.sluice-task-${id}`)
  })

  test('has it proved by bytes when one side gives none', async () => {
    const host = await startedHost()
    const id = await partly(host, 'http://host.test/plain/1')
    await edit(host, id, { link: 'http://strong.test/plain/1' })
    const { checkpoint } = await host.step(id, 'download')
    expect(checkpoint).toMatchObject({ validator: null, toBeProved: true, ranges: [[0, 400]] })
  })

  test('is no less to be proved after a further link, whatever that gives', async () => {
    const host = await startedHost()
    const id = await partly(host, 'http://host.test/plain/1')
    await edit(host, id, { link: 'http://strong.test/plain/1' })
    // the same strong validator as the link before, and another one: of what is held neither says anything
    for (const link of ['http://strong.test/plain/2', 'http://strong.test/plain/long/3']) {
      await edit(host, id, { link })
      const { checkpoint } = await host.step(id, 'download')
      expect(checkpoint).toMatchObject({ toBeProved: true, ranges: [[0, 400]] })
    }
  })

  test('does not keep what would have to be proved where the host gives no parts', async () => {
    const host = await startedHost()
    const id = await partly(host, 'http://host.test/plain/1')
    const link = 'http://whole.test/plain/1'
    expect((await host.call('tasks.previewEdit', { id, link })).keepsData).toBe(false)
    await edit(host, id, { link })
    expect(await host.step(id, 'download')).toMatchObject({ checkpoint: null, doneBytes: 0 })
  })

  test('says before anything is changed whether the data would be kept, and is not looked up twice', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://strong.test/plain/1')
    await host.advance(id, 400)
    await host.call('tasks.pause', { ids: [id] })
    const before = host.stored()
    const same = await host.call('tasks.previewEdit', { id, link: 'http://strong.test/plain/2' })
    expect(same.keepsData).toBe(true)
    const other = await host.call('tasks.previewEdit', { id, link: 'http://stronger.test/plain/2' })
    expect(other.keepsData).toBe(false)
    expect(host.stored()).toBe(before)
    const workers = host.pool.workers.length
    const { planId } = same
    const edit = { id, link: 'http://strong.test/plain/2', deleteFiles: false, startAfterEdit: true, planId }
    await host.call('tasks.edit', edit)
    expect(host.pool.workers).toHaveLength(workers)
    expect((await host.step(id, 'download')).checkpoint).toMatchObject({ ranges: [[0, 400]] })
  })

  test('that cannot be looked up leaves the task untouched', async () => {
    const host = await startedHost()
    const id = await partly(host, 'http://host.test/plain/1')
    const before = host.stored()
    host.pool.onHostMessage = (worker, message) => {
      if (message.kind !== 'run-step') return
      void Promise.resolve().then(() => host.workers.trouble(worker, message, 'fail'))
    }
    expect(await edit(host, id, { link: 'http://gone.test/plain/1' })).toMatchObject({
      ok: false,
      error: { code: 'CHECKSUM_MISMATCH' },
    })
    expect(host.stored()).toBe(before)
  })

  test('that is looked up for more than 30 s is given up', async () => {
    const host = await startedHost()
    const id = await partly(host, 'http://host.test/plain/1')
    host.pool.onHostMessage = null
    const answer = edit(host, id, { link: 'http://slow.test/plain/1' })
    await host.clock.advance(31_000)
    expect(await answer).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
    expect(host.pool.alive).toEqual([])
  })

  test('cures an expired one: the task is scheduled at the tail', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const id = await host.addRunning('http://strong.test/plain/1')
    await expire(host, id)
    const [other = '', last = ''] = await host.add('http://h.test/plain/2', 'http://h.test/plain/3')
    expect((await host.task(id)).pause?.kind).toBe('source')
    await edit(host, id, { link: 'http://strong.test/plain/2' })
    expect(host.running()).toEqual([other])
    expect(host.waiting()).toEqual([last, id])
  })

  test('of a complete task makes a new job', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    await host.finish(id)
    const first = (await host.task(id)).job
    const answer = await edit(host, id, { link: 'http://host.test/pair/2' })
    const second = (await host.task(id)).job
    expect(second).toMatchObject({ number: 2, end: null })
    expect(answer).toMatchObject({ ok: true, value: { results: [{ jobId: second.id }] } })
    expect(await host.store.job(first.id)).toEqual(first)
  })
})

describe('B11 an edit', () => {
  test('leaves a task that the user paused paused', async () => {
    const host = await startedHost()
    const id = await partly(host, 'http://host.test/plain/1')
    await edit(host, id, { connections: 2 })
    expect((await host.task(id)).pause?.kind).toBe('user')
    expect((await host.task(id)).parameters.connections).toBe(2)
  })

  test('returns a running task to the head', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const id = await host.addRunning('http://host.test/plain/1')
    await host.add('http://h.test/plain/2')
    const worker = await host.workerOf(id)
    await edit(host, id, { connections: 2 })
    expect(host.running()).toEqual([id])
    expect((await host.workerOf(id)).pid).not.toBe(worker.pid)
  })

  test('with "do not start" leaves a running task paused', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    await edit(host, id, { connections: 2 }, false)
    expect((await host.task(id)).pause?.kind).toBe('user')
  })

  test('of the name keeps the partial and goes through the same numbering', async () => {
    const host = await startedHost()
    host.files.write(`${downloads}/new.bin`, 1)
    const id = await partly(host, 'http://host.test/plain/1')
    await edit(host, id, { name: 'new.bin' })
    expect((await host.task(id)).files[0]?.name).toBe('new (1).bin')
    expect((await host.step(id, 'download')).checkpoint).toMatchObject({ ranges: [[0, 400]] })
  })

  test('of the folder takes partials and tracks along', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/pair/1')
    const [video] = await host.ordersOf(id)
    if (video === undefined) throw new Error('nothing runs')
    host.workers.finish(video.worker, video.order)
    await host.call('tasks.pause', { ids: [id] })
    await edit(host, id, { folder: '/elsewhere' })
    expect(host.files.paths()).toEqual([`/elsewhere/.sluice-task-${id}/0-0.part`])
    await host.call('tasks.restart', { ids: [id] })
    await host.work()
    expect(host.files.paths()).toContain('/elsewhere/film.mp4')
  })

  test('whose move fails half-way leaves the files and the task where they were', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/pair/1')
    await host.finish(id)
    await host.call('tasks.pause', { ids: [id] })
    const [mux] = await host.ordersOf(id)
    if (mux !== undefined)
      host.workers.end(mux.worker, mux.order.stepId, { kind: 'paused', checkpoint: null, cause: null })
    await settled()
    const before = { files: host.files.paths(), task: await host.task(id) }
    expect(before.task.pause?.kind).toBe('user')
    host.files.failMoveAfter = 1
    const answer = await edit(host, id, { folder: '/elsewhere' })
    expect(answer).toMatchObject({
      value: { results: [{ kind: 'refused', error: { code: 'STORAGE_UNAVAILABLE' } }] },
    })
    expect(host.files.paths()).toEqual(before.files)
    expect(await host.task(id)).toEqual(before.task)
  })

  test('of a complete or cancelled task, but for its content, is a conflict', async () => {
    const host = await startedHost()
    const complete = await host.addRunning('http://host.test/plain/1')
    await host.finish(complete)
    const [cancelled = ''] = await host.add('http://host.test/plain/2')
    await host.call('tasks.cancel', { ids: [cancelled] })
    await settled()
    const before = host.stored()
    for (const id of [complete, cancelled]) {
      const answer = await edit(host, id, { name: 'x.bin' })
      expect(answer).toMatchObject({ value: { results: [{ kind: 'refused', error: { code: 'CONFLICT' } }] } })
    }
    expect(host.stored()).toBe(before)
  })
})
