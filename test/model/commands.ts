/** What may happen to a host: operations, honest and dishonest workers, faults of the world, crashes. */
import fc from 'fast-check'
import type { CommandInput } from '../../src/shared/contract/commands.ts'
import { isTerminal, taskState } from '../../src/shared/task/derive.ts'
import { weekdays } from '../../src/shared/week-hours.ts'
import type { Request, Task } from '../../src/shared/task/model.ts'
import { SluiceError } from '../../src/shared/errors.ts'
import { must } from './invariants.ts'
import type { ModelWorld } from './model-world.ts'
import { publishedSteps } from './model-world.ts'
import type { Shape } from './plans.ts'
import type { Trouble } from './sim-workers.ts'

/** The model knows nothing that is not stored: what must hold is said by the invariants. */
export type Model = Record<string, never>
type Command = fc.AsyncCommand<Model, ModelWorld>

function command(text: string, run: (world: ModelWorld) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (_model, world) => {
      world.invariants.operation = ''
      await run(world)
      await world.settle()
      await world.check()
    },
    toString: () => text,
  }
}

/** The task that a number points at; undefined when there are none. */
function pick(world: ModelWorld, index: number): Task | undefined {
  const tasks = world.tasks()
  return tasks[index % Math.max(1, tasks.length)]
}

const index = fc.nat({ max: 30 })

const add = fc
  .record({
    shape: fc.constantFrom<Shape>('plain', 'pair', 'subtitled', 'list'),
    number: fc.nat({ max: 5 }),
    startPaused: fc.nat({ max: 7 }).map((chance) => chance === 0),
    front: fc.boolean(),
    name: fc.option(fc.constantFrom('named.bin', 'NAMED.bin'), { nil: undefined }),
    duplicates: fc.constantFrom('allow', 'ask', 'use', 'use'),
    looksFirst: fc.nat({ max: 3 }).map((chance) => chance === 0),
  })
  .map(({ shape, number, startPaused, front, name, duplicates, looksFirst }) =>
    command(
      `add ${shape} ${number} ${duplicates}${startPaused ? ' later' : ''}${front ? ' first' : ''}`,
      async (world) => {
        const link = `http://h${number}.test/${shape}/${number}`
        const planId = looksFirst ? await lookUp(world, link) : null
        const options = {
          startPaused,
          duplicates,
          ...(planId === null ? {} : { planId }),
          priority: front ? ('front' as const) : ('normal' as const),
          ...(name === undefined ? {} : { name }),
        }
        await world.call('tasks.add', { links: [link], options })
      },
    ),
  )

/** The id of what was found; null when no worker could look. */
async function lookUp(world: ModelWorld, link: string): Promise<string | null> {
  const answer = await world.core.answer('links.lookup', { link })
  return answer.ok ? answer.value.planId : null
}

const addRefused = fc.constantFrom('ftp://host.test/x', 'not a link', 'http://', 'magnet:?xt=1').map((link) =>
  command(`add ${link}`, async (world) => {
    await world.call('tasks.add', { links: [link] })
  }),
)

type SimpleOperation =
  'pause' | 'restart' | 'cancel' | 'redownload' | 'retrySkipped' | 'retryAsNew' | 'undoDelete'

const operate = fc
  .record({
    name: fc.constantFrom<SimpleOperation>(
      'pause',
      'pause',
      'restart',
      'restart',
      'restart',
      'cancel',
      'redownload',
      'retrySkipped',
      'retryAsNew',
      'undoDelete',
    ),
    index,
  })
  .map(({ name, index: at }) =>
    command(`${name} ${at}`, async (world) => {
      const task = pick(world, at)
      if (task === undefined) return
      const done = await world.call(`tasks.${name}`, { ids: [task.id] })
      if (done && name === 'undoDelete' && task.request?.kind === 'delete') checkUndone(world, task)
    }),
  )

/** A live task comes back paused, or about to be; one that had ended as it was. */
function checkUndone(world: ModelWorld, before: Task): void {
  const after = world.stored(before.id)
  must(14, after !== undefined && after.request?.kind !== 'delete', `${before.id} was not restored`)
  if (after === undefined) return
  const [was, is] = [taskState(before), taskState(after)]
  const asItWas = isTerminal(was)
    ? is === was
    : is === 'PAUSED' || after.request?.kind === 'pause' || isTerminal(is)
  must(14, asItWas, `${before.id} was ${was}, was restored and is ${is}`)
}

const sets = fc.constantFrom('pause', 'restart', 'restart', 'cancel').map((name) =>
  command(`${name} all`, async (world) => {
    const query: CommandInput<'tasks.pause'> = { query: { filter: 'all', search: '' } }
    await world.call(`tasks.${name as 'pause'}`, query)
  }),
)

const remove = fc.record({ index, deleteFiles: fc.boolean(), undoable: fc.boolean() }).map((input) =>
  command(`delete ${input.index}${input.undoable ? ' undoable' : ''}`, async (world) => {
    const task = pick(world, input.index)
    if (task === undefined) return
    const { deleteFiles, undoable } = input
    const alone = world.tasks().every((other) => other.id === task.id || !sharesFile(other, task))
    await world.call('tasks.delete', { target: { ids: [task.id] }, deleteFiles, undoable })
    if (!deleteFiles || undoable || task.attempt !== null || task.request !== null) return
    for (const step of publishedSteps(task)) {
      const there = world.core.files.stat(step.output?.path ?? '')?.identity === step.output?.identity
      must(18, there === !alone, `${step.output?.path ?? ''} ${there ? 'stayed' : 'went'} with its holder`)
    }
  }),
)

function sharesFile(other: Task, task: Task): boolean {
  const paths = new Set(publishedSteps(task).map((step) => step.output?.path))
  return publishedSteps(other).some((step) => paths.has(step.output?.path))
}

const select = fc.record({ index, mask: fc.nat({ max: 7 }) }).map(({ index: at, mask }) =>
  command(`select ${mask} of ${at}`, async (world) => {
    const task = pick(world, at)
    if (task === undefined) return
    const selected = task.files.filter((file) => (mask >> file.index) & 1).map((file) => file.id)
    await world.call('tasks.select', { id: task.id, selected })
  }),
)

const edit = fc
  .record({
    index,
    link: fc.option(fc.constantFrom('http://fresh.test/plain/9', 'http://strong.test/pair/8', 'nonsense'), {
      nil: undefined,
    }),
    name: fc.option(fc.constantFrom('edited.bin', 'a/b'), { nil: undefined }),
    folder: fc.option(fc.constantFrom('/elsewhere', 'relative'), { nil: undefined, freq: 3 }),
    deleteFiles: fc.boolean(),
    startAfterEdit: fc.boolean(),
  })
  .map(({ index: at, link, name, folder, deleteFiles, startAfterEdit }) =>
    command(
      `edit ${at}: ${link ?? ''} ${name ?? ''} ${folder ?? ''} ${deleteFiles} ${startAfterEdit}`,
      async (world) => {
        const task = pick(world, at)
        if (task === undefined) return
        await world.call('tasks.edit', {
          id: task.id,
          ...(link === undefined ? {} : { link }),
          ...(name === undefined ? {} : { name }),
          ...(folder === undefined ? {} : { folder }),
          deleteFiles,
          startAfterEdit,
        })
      },
    ),
  )

const review = fc
  .record({ index, answer: fc.constantFrom('keep', 'redo', 'discard', 'finish-without') })
  .map(({ index: at, answer }) =>
    command(`review ${at}: ${answer}`, async (world) => {
      const task = pick(world, at)
      if (task !== undefined) {
        await world.call('tasks.review', { id: task.id, answer })
      }
    }),
  )

const move = fc
  .record({ indexes: fc.array(index, { minLength: 1, maxLength: 3 }), before: index })
  .map((input) =>
    command(`move ${input.indexes.join()} to ${input.before}`, async (world) => {
      const ids = input.indexes.flatMap((at) => pick(world, at)?.id ?? [])
      if (ids.length === 0) return
      const before =
        input.before % 3 === 0
          ? 'front'
          : input.before % 3 === 1
            ? null
            : (pick(world, input.before)?.id ?? null)
      const accepted = await world.call('tasks.move', { ids, before })
      if (accepted && before === 'front') checkFront(world, ids)
    }),
  )

/** Invariant 7: of the waiting ones, the moved are first. */
function checkFront(world: ModelWorld, ids: readonly string[]): void {
  const waiting = world
    .tasks()
    .filter((task) => taskState(task) === 'WAITING' && task.request === null)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
  const moved = new Set(ids.filter((id) => waiting.some((task) => task.id === id)))
  const head = waiting.slice(0, moved.size).map((task) => task.id)
  must(
    7,
    head.every((id) => moved.has(id)),
    'a task that was moved to the front is not the next',
  )
}

const startNow = index.map((at) =>
  command(`start now ${at}`, async (world) => {
    const task = pick(world, at)
    if (task !== undefined) await world.call('tasks.startNow', { id: task.id })
  }),
)

const limit = fc.integer({ min: 1, max: 4 }).map((tasks) =>
  command(`at once: ${tasks}`, async (world) => {
    const waiting = world.waiting()
    const running = new Map(world.tasks().map((task) => [task.id, task.attempt?.token ?? 0]))
    world.limit = tasks
    await world.call('settings.set', { maxConcurrentTasks: tasks })
    checkOrder(world, waiting, running)
  }),
)

/** Who waited still does so in the same order; who had to make room is before them, the longest running first. */
function checkOrder(world: ModelWorld, before: readonly string[], tokens: ReadonlyMap<string, number>): void {
  const after = world.waiting()
  const stayed = after.filter((id) => before.includes(id))
  const inOrder = before.filter((id) => after.includes(id))
  must(6, stayed.join() === inOrder.join(), 'the order of who waited has changed')
  const returned = after.filter((id) => !before.includes(id))
  const oldest = returned.toSorted((a, b) => (tokens.get(a) ?? 0) - (tokens.get(b) ?? 0))
  must(6, returned.join() === oldest.join(), 'who had to make room came back in another order')
  must(6, after.slice(0, returned.length).join() === returned.join(), 'who had to make room is not first')
}

const clearFinished = fc.constant(
  command('clear finished', async (world) => {
    await world.call('tasks.clearFinished', {})
  }),
)

const work = fc
  .record({ index, how: fc.constantFrom('advance', 'finish', 'finish') })
  .map(({ index: at, how }) =>
    command(`${how} ${at}`, async (world) => {
      const orders = world.orders()
      const chosen = orders[at % Math.max(1, orders.length)]
      if (chosen === undefined) return
      if (how === 'advance') world.workers.advance(chosen.worker, chosen.order, 1 + (at % 5) * 150)
      else world.workers.finish(chosen.worker, chosen.order)
      await world.settle()
    }),
  )

const trouble = fc
  .record({
    index,
    kind: fc.constantFrom<Trouble>(
      'fail',
      'network-wait',
      'network-budget',
      'storage',
      'storage-stuck',
      'review',
      'too-short',
      'page',
      'segments',
      'source',
      'skip',
    ),
  })
  .map(({ index: at, kind }) =>
    command(`${kind} ${at}`, async (world) => {
      const orders = world.orders()
      const chosen = orders[at % Math.max(1, orders.length)]
      if (chosen !== undefined) world.workers.trouble(chosen.worker, chosen.order, kind)
      await world.settle()
    }),
  )

/** Invariant 13: the end of a step and a request for its task at the same moment, in both orders. */
const race = fc
  .record({
    index,
    name: fc.constantFrom('cancel', 'pause', 'redownload', 'delete'),
    first: fc.constantFrom('worker', 'user'),
  })
  .map(({ index: at, name, first }) =>
    command(`race ${at}: ${name}, ${first} first`, async (world) => {
      const orders = world.orders()
      const chosen = orders[at % Math.max(1, orders.length)]
      if (chosen === undefined) return
      const { worker, order } = chosen
      const task = world.tasks().find((candidate) => candidate.steps.some((step) => step.id === order.stepId))
      if (task === undefined) return
      world.invariants.operation = name
      const input =
        name === 'delete'
          ? { target: { ids: [task.id] }, deleteFiles: true, undoable: true }
          : { ids: [task.id] }
      if (first === 'worker') world.workers.finish(worker, order)
      const answer = world.core.client.call(`tasks.${name}`, input)
      if (first === 'user') world.workers.finish(worker, order)
      await world.settle()
      await answer
      await world.settle()
    }),
  )

/** A step that turns out to be one that must not be stopped, or the other way round. */
const facts = fc.record({ index, preemptible: fc.boolean() }).map(({ index: at, preemptible }) =>
  command(`${preemptible ? '' : 'not '}preemptible ${at}`, async (world) => {
    const orders = world.orders()
    const chosen = orders[at % Math.max(1, orders.length)]
    if (chosen?.order.order.kind !== 'fetch') return
    const { worker, order } = chosen
    worker.report({
      kind: 'facts',
      stepId: order.stepId,
      preemptible,
      resource: null,
      suggestedName: at % 2 === 0 ? 'file.bin' : null,
    })
    await world.settle()
  }),
)

const death = fc
  .record({ index, how: fc.constantFrom('crash', 'evict', 'deaf', 'wedge', 'before', 'after') })
  .map((input) =>
    command(`worker ${input.index}: ${input.how}`, async (world) => {
      const { alive } = world.core.pool
      const worker = alive[input.index % Math.max(1, alive.length)]
      if (worker === undefined) return
      if (input.how === 'crash') worker.crash()
      else if (input.how === 'evict') worker.evict()
      else if (input.how === 'deaf') world.workers.deaf.add(worker)
      else if (input.how === 'wedge') worker.wedged = true
      else world.workers.dieOnLeave.set(worker, input.how)
      await world.settle()
    }),
  )

/** Invariant 12: news of an earlier attempt, and news told twice, change nothing. */
const stale = fc.record({ index, how: fc.constantFrom('again', 'old token', 'wrong attempt') }).map((input) =>
  command(`stale ${input.index}: ${input.how}`, async (world) => {
    const said = world.workers.said[input.index % Math.max(1, world.workers.said.length)]
    const { alive } = world.core.pool
    const worker = input.how === 'again' ? said?.worker : alive[input.index % Math.max(1, alive.length)]
    if (said === undefined || worker === undefined) return
    const before = JSON.stringify(world.tasks())
    const message =
      input.how === 'wrong attempt'
        ? { ...said.message, attemptId: 'nobody', seq: 1_000_000 }
        : input.how === 'old token'
          ? { ...said.message, token: said.message.token - 1, seq: 1_000_000 }
          : said.message
    const orders = new Map(worker.orders)
    worker.raw(message)
    for (const [stepId, order] of orders) worker.orders.set(stepId, order)
    await world.settle()
    must(12, JSON.stringify(world.tasks()) === before, `a message was believed: ${input.how}`)
  }),
)

const time = fc.constantFrom(100, 2_000, 16_000, 40_000, 200_000).map((ms) =>
  command(`${ms} ms`, async (world) => {
    // Workers that are well are heard all the while.
    for (let left = ms; left > 0; left -= 2000) {
      for (const { worker, order } of world.orders()) {
        worker.report({ kind: 'heartbeat' })
        if (ms < 100_000) world.workers.advance(worker, order, 1)
      }
      await world.core.clock.advance(Math.min(2000, left))
    }
  }),
)

const clocks = fc.constantFrom<'back' | 'ahead' | 'sleep'>('back', 'ahead', 'sleep').map((how) =>
  command(`clock ${how}`, async (world) => {
    if (how === 'sleep') await world.core.clock.suspend(3_600_000)
    else world.core.clock.jumpWall(how === 'back' ? -3_600_000 : 3_600_000)
    // what changes with the hour is seen at the next look
    await world.core.clock.advance(1000)
  }),
)

const fullDisk = fc.nat({ max: 3 }).map((commits) =>
  command(`the database is full for ${commits} s`, async (world) => {
    world.core.store.failCommits = new SluiceError('STORAGE_FULL', 'the database cannot grow')
    const { orders } = { orders: world.orders() }
    const chosen = orders[commits % Math.max(1, orders.length)]
    if (chosen !== undefined) world.workers.finish(chosen.worker, chosen.order)
    await world.core.clock.advance(commits * 1000)
    world.core.store.failCommits = null
    await world.core.clock.advance(1100)
  }),
)

const noWorker = fc.constant(
  command('no worker can be started', async (world) => {
    world.core.pool.failNextAcquire = true
    await world.settle()
  }),
)

const userDeletesFile = index.map((at) =>
  command(`the user deletes file ${at}`, async (world) => {
    const working = world.core.files.paths().filter((path) => path.includes('.sluice-task'))
    const path = working[at % Math.max(1, working.length)]
    if (path !== undefined) world.core.files.delete(path)
    await world.settle()
  }),
)

const strangersFile = fc.constantFrom('file.bin', 'film.mp4', 'one.bin').map((name) =>
  command(`a stranger writes ${name}`, async (world) => {
    const path = `/downloads/${name}`
    if (world.core.files.stat(path) === null) world.core.files.write(path, 1)
    await world.settle()
  }),
)

const network = fc.constantFrom('first.test', 'second.test', 'h0.test', 'offline', 'back').map((what) =>
  command(`network: ${what}`, async (world) => {
    const { network: fake } = world.core
    if (what === 'back') {
      fake.offline = false
      fake.silent.clear()
    } else if (what === 'offline') fake.offline = true
    else fake.silent.add(what)
    await world.settle()
  }),
)

const disk = fc.constantFrom('away', 'back', 'small', 'large').map((what) =>
  command(`disk: ${what}`, async (world) => {
    const { files } = world.core
    if (what === 'away') files.missing.add('/downloads')
    else if (what === 'back') files.missing.clear()
    else files.freeBytes = what === 'small' ? 512 * 1024 * 1024 + 1500 : 1e12
    await world.settle()
  }),
)

/** Invariant 14: what was asked for before the end is carried out after it. */
const crash = fc.boolean().map((clean) =>
  command(clean ? 'quit and start' : 'kill and start', async (world) => {
    const before = world.tasks()
    const waiting = world.waiting()
    if (clean) {
      const stopped = world.core.service.stop(5000)
      for (let second = 0; second < 10; second++) await world.core.clock.advance(1000)
      await stopped
      await world.crash()
    } else await world.crash()
    for (const task of before) checkCarriedOut(world, task, task.request)
    const still = world.waiting().filter((id) => waiting.includes(id))
    const inOrder = waiting.filter((id) => still.includes(id))
    must(6, still.join() === inOrder.join(), 'the order of the queue did not survive')
  }),
)

/** The host dies in the middle of an operation: it was carried out, or it was not. */
const crashAmid = fc
  .record({
    index,
    name: fc.constantFrom('cancel', 'redownload', 'pause', 'restart', 'delete'),
    turns: fc.nat({ max: 6 }),
  })
  .map(({ index: at, name, turns }) =>
    command(`kill ${turns} turns into ${name} ${at}`, async (world) => {
      const task = pick(world, at)
      if (task === undefined) return
      world.invariants.operation = name
      const target = { ids: [task.id] }
      const input = name === 'delete' ? { target, deleteFiles: true, undoable: false } : target
      void world.core.client.call(`tasks.${name}`, input)
      await world.interleaver.some(turns)
      await world.crash()
    }),
  )

/** Several operations and a worker's news at the same moment, in whatever order they get their turns. */
const together = fc
  .array(fc.record({ index, name: fc.constantFrom('pause', 'restart', 'cancel', 'redownload', 'work') }), {
    minLength: 2,
    maxLength: 4,
  })
  .map((parts) =>
    command(`together: ${parts.map(({ index: at, name }) => `${name} ${at}`).join(', ')}`, async (world) => {
      world.invariants.operation = 'redownload'
      const answers = parts.flatMap(({ index: at, name }) => {
        if (name === 'work') {
          const orders = world.orders()
          const chosen = orders[at % Math.max(1, orders.length)]
          if (chosen !== undefined) world.workers.finish(chosen.worker, chosen.order)
          return []
        }
        const task = pick(world, at)
        return task === undefined ? [] : [world.core.client.call(`tasks.${name}`, { ids: [task.id] })]
      })
      await world.settle()
      await Promise.all(answers)
    }),
  )

/** Hours that are now, or are not, and what they mean. */
const schedule = fc
  .record({ mode: fc.constantFrom('off', 'pause', 'slow'), isNow: fc.boolean() })
  .map(({ mode, isNow }) =>
    command(`schedule: ${mode}, ${isNow ? 'within' : 'outside'} the hours`, async (world) => {
      const today = Math.floor(world.core.clock.minuteOfWeek() / 1440)
      const day = weekdays[isNow ? today : (today + 3) % 7] ?? 'mon'
      const scheduleWindows = [{ day, from: '00:00', to: '24:00' }]
      await world.call('settings.set', { scheduleMode: mode, scheduleWindows })
    }),
  )

const hostLimit = fc.record({ index, connections: fc.integer({ min: 1, max: 3 }) }).map((input) =>
  command(`a host bears ${input.connections}`, async (world) => {
    const { alive } = world.core.pool
    const worker = alive[input.index % Math.max(1, alive.length)]
    if (worker === undefined || worker.received.length === 0) return
    worker.report({ kind: 'host-limit', host: `h${input.index % 5}.test`, connections: input.connections })
    await world.settle()
  }),
)

function checkCarriedOut(world: ModelWorld, before: Task, request: Request | null): void {
  if (request === null) return
  const after = world.stored(before.id)
  must(14, request.kind !== 'delete' || after === undefined, `${before.id} was deleted and is there`)
  if (after === undefined) return
  const state = taskState(after)
  must(14, after.request === null, `${before.id} still has a request: ${request.kind}`)
  const cancelled = state === 'CANCELLED' || state === 'COMPLETED'
  must(14, request.kind !== 'cancel' || cancelled, `${before.id} was cancelled and is ${state}`)
  const paused = state === 'PAUSED' || isTerminal(state)
  const byUser = request.kind === 'pause' && request.schedule === undefined
  must(14, !byUser || paused, `${before.id} was paused and is ${state}`)
}

/** Each as often as it stands here: mostly work, so that sequences get far. */
const often: [fc.Arbitrary<Command>, number][] = [
  [add, 4],
  [addRefused, 1],
  [operate, 6],
  [sets, 1],
  [remove, 1],
  [select, 2],
  [edit, 2],
  [review, 1],
  [move, 1],
  [startNow, 1],
  [limit, 1],
  [clearFinished, 1],
  [work, 16],
  [trouble, 2],
  [race, 3],
  [facts, 1],
  [death, 1],
  [stale, 2],
  [time, 2],
  [clocks, 1],
  [fullDisk, 1],
  [noWorker, 1],
  [userDeletesFile, 1],
  [strangersFile, 1],
  [network, 2],
  [disk, 1],
  [crash, 1],
  [crashAmid, 1],
  [together, 3],
  [schedule, 1],
  [hostLimit, 1],
]

export const everything: fc.Arbitrary<Command>[] = often.flatMap(([arbitrary, times]) =>
  Array.from({ length: times }, () => arbitrary),
)
