import { expect, test } from 'vitest'
import { taskState } from '../../src/shared/task/derive.ts'
import type { StepOutcome } from '../../src/shared/worker-protocol.ts'
import { CoreWorld, downloads, plainPlan } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'

test('a link is resolved, fetched, published and complete', async () => {
  const world = new CoreWorld()
  await world.start()
  const [id = ''] = await world.add('http://host.test/a.bin')
  const worker = await world.workerOf(id)
  const [resolve] = [...worker.orders.keys()]
  worker.report({
    kind: 'outcome',
    stepId: resolve ?? '',
    outcome: { kind: 'completed', result: { kind: 'plan', plan: plainPlan('a.bin') } },
    isLast: true,
  })
  await settled()
  expect(taskState(await world.task(id))).toBe('RUNNING')
  const [download = ''] = [...worker.orders.keys()]
  const order = worker.orders.get(download)?.order
  expect(order).toMatchObject({ kind: 'fetch', publishTo: `${downloads}/a.bin` })
  worker.report({
    kind: 'checkpoint',
    stepId: download,
    checkpoint: {
      kind: 'ranges',
      fileName: '0-0.part',
      length: 1000,
      validator: null,
      finalUrl: 'http://host.test/a.bin',
      ranges: [[0, 400]],
      fronts: [],
    },
  })
  await settled()
  worker.report({ kind: 'ready', stepId: download, from: `${downloads}/w/0-0.part`, takenPath: null })
  await settled()
  expect(worker.received.at(-1)).toMatchObject({ kind: 'publish', to: `${downloads}/a.bin` })
  const file = world.files.write(`${downloads}/a.bin`, 1000)
  worker.report({
    kind: 'outcome',
    stepId: download,
    outcome: {
      kind: 'completed',
      result: { kind: 'file', output: { path: `${downloads}/a.bin`, ...file } },
    },
    isLast: true,
  })
  await settled()
  const task = await world.task(id)
  expect(taskState(task)).toBe('COMPLETED')
  expect(task.attempt).toBeNull()
  expect(world.pool.alive).toEqual([])
  await world.service.whenIdle()
  expect((await world.call('history.list', { limit: 10 })).entries).toHaveLength(1)
  expect(world.faults).toEqual([])
})

test('a paused download goes on from its checkpoint after the host was killed', async () => {
  const world = new CoreWorld()
  await world.start()
  const [id = ''] = await world.add('http://host.test/a.bin')
  const worker = await world.workerOf(id)
  worker.report({
    kind: 'outcome',
    stepId: [...worker.orders.keys()][0] ?? '',
    outcome: { kind: 'completed', result: { kind: 'plan', plan: plainPlan('a.bin') } },
    isLast: true,
  })
  await settled()
  const download = [...worker.orders.keys()][0] ?? ''
  const checkpoint = {
    kind: 'ranges' as const,
    fileName: '0-0.part',
    length: 1000,
    validator: null,
    finalUrl: 'http://host.test/a.bin',
    ranges: [[0, 400]] as [number, number][],
    fronts: [],
  }
  const { results } = await world.call('tasks.pause', { ids: [id] })
  expect(results).toMatchObject([{ kind: 'done', changed: true }])
  expect(worker.received.at(-1)).toMatchObject({ kind: 'stop-steps', stepIds: [download] })
  expect(taskState(await world.task(id))).toBe('RUNNING')
  worker.report({
    kind: 'outcome',
    stepId: download,
    outcome: { kind: 'paused', checkpoint, cause: null },
    isLast: true,
  })
  await settled()
  expect(taskState(await world.task(id))).toBe('PAUSED')
  await world.restartHost()
  expect((await world.task(id)).pause).toMatchObject({ kind: 'user' })
  await world.call('tasks.restart', { ids: [id] })
  const next = await world.workerOf(id)
  expect(next.orders.get(download)?.checkpoint).toEqual(checkpoint)
  next.crash()
  await settled()
  expect((await world.workerOf(id)).orders.get(download)?.checkpoint).toEqual(checkpoint)
})

const arrivedPlan: StepOutcome = {
  kind: 'completed',
  result: { kind: 'plan', plan: plainPlan('a.bin'), hasArrived: true },
}

/** A task whose file came with the plan, and whose worker has put it under its final name. */
async function arrivedAndNamed() {
  const world = new CoreWorld()
  await world.start()
  const [id = ''] = await world.add('http://host.test/a.bin')
  const worker = await world.workerOf(id)
  const [resolve, order] = [...worker.orders][0] ?? ['']
  const from = `${downloads}/.sluice-task-${id}.part`
  expect(order?.order).toMatchObject({ kind: 'resolve', arrivalPath: from })
  world.files.write(from, 1000)
  worker.report({ kind: 'outcome', stepId: resolve, outcome: arrivedPlan, isLast: true })
  await settled()
  const [download, next] = [...worker.orders][0] ?? ['']
  const to = `${downloads}/a.bin`
  expect(next?.order).toMatchObject({ kind: 'fetch', leave: { from, to } })
  expect((await world.task(id)).steps.at(-1)?.publishing).toEqual({ from, to })
  world.files.link(from, to)
  const output = { path: to, size: 1000, identity: world.files.stat(to)?.identity ?? '' }
  const tell = async (result: object) => {
    const outcome = { kind: 'completed', result: { kind: 'file', output, ...result } } as StepOutcome
    worker.report({ kind: 'outcome', stepId: download, outcome, isLast: true })
    await settled()
    expect(taskState(await world.task(id))).toBe('COMPLETED')
    expect(world.faults).toEqual([])
  }
  return { world, from, to, tell }
}

test('what came whole with its plan has its leave in the order, and leaves no folder to be removed', async () => {
  const { world, from, to, tell } = await arrivedAndNamed()
  world.files.delete(from)
  await tell({})
  expect(world.files.removedFolders).toEqual([])
  expect(world.files.paths()).toEqual([to])
})

test('the first name of what came whole goes with the folder where its worker could not remove it', async () => {
  const { world, to, tell } = await arrivedAndNamed()
  await tell({ hasFirstName: true })
  expect(world.files.paths()).toEqual([to])
})

test('what came whole with its plan has no leave once a cancel is committed, and is removed', async () => {
  const world = new CoreWorld()
  await world.start()
  const [id = ''] = await world.add('http://host.test/a.bin')
  const worker = await world.workerOf(id)
  const [resolve = ''] = worker.orders.keys()
  world.files.write(`${downloads}/.sluice-task-${id}.part`, 1000)
  await world.call('tasks.cancel', { ids: [id] })
  worker.report({ kind: 'outcome', stepId: resolve, outcome: arrivedPlan, isLast: true })
  await settled()
  expect(taskState(await world.task(id))).toBe('CANCELLED')
  expect(world.files.paths()).toEqual([])
  expect(world.faults).toEqual([])
})

test.each(['before', 'after'] as const)(
  'what came whole with its plan is settled by both names when its worker dies %s it is named',
  async (moment) => {
    const world = new CoreWorld()
    await world.start()
    const [id = ''] = await world.add('http://host.test/a.bin')
    const worker = await world.workerOf(id)
    const [resolve = ''] = worker.orders.keys()
    const from = `${downloads}/.sluice-task-${id}.part`
    world.files.write(from, 1000)
    worker.report({ kind: 'outcome', stepId: resolve, outcome: arrivedPlan, isLast: true })
    await settled()
    if (moment === 'after') world.files.link(from, `${downloads}/a.bin`)
    worker.crash()
    await settled()
    if (moment === 'after') {
      expect(taskState(await world.task(id))).toBe('COMPLETED')
      expect(world.files.paths()).toEqual([`${downloads}/a.bin`])
    } else {
      const [order] = (await world.workerOf(id)).orders.values()
      expect(order).toMatchObject({ checkpoint: null, order: { kind: 'fetch', leave: undefined } })
    }
    expect(world.faults).toEqual([])
  },
)
