import { expect, test } from 'vitest'
import { downloads } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'
import { startedHost } from './hosts.ts'

/** A film whose subtitle could not be had. */
async function withoutSubtitle() {
  const host = await startedHost({ maxTracksPerTask: 3 })
  const id = await host.addRunning('http://host.test/subtitled/1')
  const subtitle = await host.step(id, 'download-subtitle')
  for (const { worker, order } of await host.ordersOf(id)) {
    if (order.stepId === subtitle.id) host.workers.trouble(worker, order, 'skip')
    else host.workers.finish(worker, order)
  }
  await settled()
  await host.finish(id)
  await settled()
  expect(await host.state(id)).toBe('COMPLETED')
  return { host, id }
}

test('a skipped track is fetched in a new job, muxed from the file that is there, and that file is replaced', async () => {
  const { host, id } = await withoutSubtitle()
  const [row] = (await host.call('tasks.rows', { ids: [id] })).rows
  expect(row?.skipped).toHaveLength(1)
  const first = (await host.task(id)).job
  const { results } = await host.call('tasks.retrySkipped', { ids: [id] })
  const second = (await host.task(id)).job
  expect(second.number).toBe(2)
  expect(results).toMatchObject([{ kind: 'done', jobId: second.id, changed: true }])
  const [fetching] = await host.ordersOf(id)
  expect(fetching?.order.order).toMatchObject({ kind: 'fetch' })
  await host.finish(id)
  const [muxing] = await host.ordersOf(id)
  expect(muxing?.order.order).toMatchObject({
    kind: 'mux',
    tracks: [
      { kind: 'video', path: `${downloads}/film.mp4` },
      { kind: 'audio', path: `${downloads}/film.mp4` },
      { kind: 'subtitle' },
    ],
  })
  await host.finish(id)
  await settled()
  expect(await host.state(id)).toBe('COMPLETED')
  expect(host.files.paths()).toEqual([`${downloads}/film (1).mp4`])
  expect(await host.store.job(first.id)).toEqual(first)
})

test('cancelled, it keeps the file that is there, and may delete it', async () => {
  const { host, id } = await withoutSubtitle()
  await host.call('tasks.retrySkipped', { ids: [id] })
  await host.call('tasks.cancel', { ids: [id] })
  await settled()
  expect(await host.state(id)).toBe('CANCELLED')
  expect(host.files.paths()).toEqual([`${downloads}/film.mp4`])
  const [row] = (await host.call('tasks.rows', { ids: [id] })).rows
  expect(row?.outputs).toEqual([`${downloads}/film.mp4`])
  expect(await host.store.claimsOf(id)).toMatchObject([{ kind: 'output', path: `${downloads}/film.mp4` }])
  await host.call('tasks.delete', { target: { ids: [id] }, deleteFiles: true, undoable: false })
  await settled()
  expect(host.files.paths()).toEqual([])
})

test('a file that the user has changed since is left beside the new one', async () => {
  const { host, id } = await withoutSubtitle()
  host.files.delete(`${downloads}/film.mp4`)
  host.files.write(`${downloads}/film.mp4`, 77)
  await host.call('tasks.restart', { ids: [id] })
  await host.work()
  expect(host.files.paths()).toEqual([`${downloads}/film (1).mp4`, `${downloads}/film.mp4`])
  expect(host.files.stat(`${downloads}/film.mp4`)?.size).toBe(77)
})
