import { expect, it } from 'vitest'
import { TaskWatch } from '../../src/cli/task-watch.ts'
import { startedHost } from '../core/hosts.ts'

it('tells that all tasks are complete without making their rows', async () => {
  const host = await startedHost()
  const watch = new TaskWatch(host.service, { changed: () => undefined, end: () => undefined })
  const loaded: string[] = []
  const { store } = host
  const loadMany = store.loadMany.bind(store)
  store.loadMany = (ids) => (loaded.push(...ids), loadMany(ids))

  expect(await watch.isAllComplete()).toBe(true)
  await host.add(...[1, 2, 3].map((number) => `http://host.test/plain/${number}`))
  expect(await watch.isAllComplete()).toBe(false)
  await host.work()
  expect(await watch.isAllComplete()).toBe(true)
  expect(loaded.length).toBeLessThanOrEqual(2)
  watch.close()
})
