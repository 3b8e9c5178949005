/** The real thing under the model: a host over fakes whose every transaction is checked, and what it has seen. */
import { nextSteps } from '../../src/core/transition/next-steps.ts'
import { publishedOutput } from '../../src/shared/task/outputs.ts'
import { isTerminal, taskState } from '../../src/shared/task/derive.ts'
import type { Settings } from '../../src/shared/settings.ts'
import type { Attempt, Job, Step, Task } from '../../src/shared/task/model.ts'
import { rowOf } from '../../src/shared/view-of-task.ts'
import type { TaskRow } from '../../src/shared/view.ts'
import type { CommandInput, Commands } from '../../src/shared/contract/commands.ts'
import { CoreWorld } from '../fakes/core-world.ts'
import type { FakeWorker, RunStep } from '../fakes/fake-workers.ts'
import { CheckedStore } from './checked-store.ts'
import { InterleavedFiles, InterleavedPool } from './interleaved-ports.ts'
import { Interleaver } from './interleaver.ts'
import { must, StoredInvariants } from './invariants.ts'
import { SimWorkers } from './sim-workers.ts'

type Data = ReturnType<CheckedStore['peek']>

interface Shown {
  attemptId: string | null
  progress: number
}

export class ModelWorld {
  readonly invariants = new StoredInvariants()
  readonly violations: unknown[] = []
  readonly interleaver: Interleaver
  readonly core: CoreWorld
  readonly workers: SimWorkers
  #shown = new Map<string, Shown>()
  limit = 3

  /** @param seed of the order in which calls of ports get their turn; null: as they come */
  constructor(settings: Partial<Settings>, seed: number | null) {
    const { invariants, violations } = this
    const interleaver = (this.interleaver = new Interleaver(seed))
    this.core = new CoreWorld(
      settings,
      {},
      {
        store: new CheckedStore({ invariants, violations, interleaver }),
        files: new InterleavedFiles(interleaver),
        poolFrom: (firstPid) => new InterleavedPool(interleaver, firstPid),
        settle: interleaver.settle,
      },
    )
    this.workers = new SimWorkers(this.core, this.violations)
    this.workers.bringsFile = ({ pid }) => pid % 2 === 0
  }

  settle(): Promise<void> {
    return this.interleaver.settle()
  }

  async start(): Promise<void> {
    this.workers.attach()
    await this.core.start()
    // Something to work on from the beginning, one of each kind.
    await this.core.add(
      'http://first.test/list/0',
      'http://first.test/pair/0',
      'http://first.test/plain/0',
      'http://second.test/subtitled/0',
    )
  }

  async crash(): Promise<void> {
    this.interleaver.forget()
    this.invariants.nextLife()
    this.core.crash()
    this.#shown = new Map()
    this.workers.attach()
    await this.core.start()
  }

  /** The faults of the world end; those of the workers that are alive stay. */
  async heal(): Promise<void> {
    this.core.store.failCommits = null
    this.core.network.offline = false
    this.core.network.silent.clear()
    this.core.files.missing.clear()
    this.core.files.freeBytes = 1e12
    await this.core.answer('settings.set', { scheduleMode: 'off' })
  }

  /** All stored tasks, also those that wait for their purge. */
  tasks(): Task[] {
    return [...this.core.store.peek().tasks.values()]
  }

  stored(id: string): Task | undefined {
    return this.core.store.peek().tasks.get(id)
  }

  /** ids of waiting tasks from the head of the queue, those that are being deleted left out */
  waiting(): string[] {
    return this.tasks()
      .filter((task) => taskState(task) === 'WAITING' && task.request?.kind !== 'delete')
      .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
      .map((task) => task.id)
  }

  /** The open orders of all workers, in a stable order. */
  orders(): { worker: FakeWorker; order: RunStep }[] {
    return this.core.pool.alive
      .filter((worker) => !this.workers.deaf.has(worker))
      .flatMap((worker) => [...worker.orders.values()].map((order) => ({ worker, order })))
  }

  /** Carries out a command of the contract. What is refused leaves everything as it was. */
  async call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<boolean> {
    this.invariants.operation = name.replace('tasks.', '')
    const before = comparable(this.core.store)
    const asked = this.core.client.call(name, input)
    await this.settle()
    const answer = await asked
    // A command that was carried out may have changed anything; only a refusal is compared.
    const results = answer.ok ? resultsOf(answer.value) : null
    const refused = !answer.ok || (results !== null && results.every((kind) => kind === 'refused'))
    if (refused) must(22, comparable(this.core.store) === before, `${name} was refused and changed something`)
    await this.settle()
    await this.check()
    return !refused
  }

  /** Everything is at rest: looks at what is stored, what runs and what is shown. */
  async check(): Promise<void> {
    if (this.violations.length > 0) throw this.violations[0]
    const data = this.core.store.peek()
    const tasks = [...data.tasks.values()]
    for (const task of tasks) {
      this.invariants.task(task)
      checkUnselected(task)
    }
    this.#checkOwnership(tasks, [...data.attempts.values()])
    this.#checkLimit(tasks)
    this.#checkHolders(data)
    this.#checkHistory(tasks, [...data.jobs.values()])
    await this.#checkRows(data.tasks)
  }

  #checkOwnership(tasks: readonly Task[], attempts: readonly Attempt[]): void {
    const open = attempts.filter((attempt) => attempt.end === null)
    const byTask = Map.groupBy(open, (attempt) => attempt.taskId)
    for (const [taskId, owning] of byTask) must(11, owning.length === 1, `${taskId} has two attempts`)
    for (const task of tasks) {
      if (!task.steps.some((step) => step.state === 'RUNNING')) continue
      const pid = task.attempt?.worker?.pid
      const alive = this.core.pool.alive.some((worker) => worker.pid === pid)
      must(11, alive, `${task.id} runs without a live worker`)
    }
  }

  /** With everything at rest: what exceeds the limit is being stopped or must not be stopped. */
  #checkLimit(tasks: readonly Task[]): void {
    const owned = tasks.filter((task) => task.attempt !== null && !task.overLimit)
    const going = owned.filter(
      (task) =>
        task.steps.some((step) => step.state === 'RUNNING') &&
        (task.request === null || task.request.kind === 'select'),
    )
    // one whose selection is being changed is asked when that is done
    const preemptible = going.filter(
      (task) =>
        task.request === null && task.steps.every((step) => step.state !== 'RUNNING' || step.preemptible),
    )
    must(5, going.length <= this.limit || preemptible.length === 0, `${going.length} run, ${this.limit} may`)
  }

  /** A name has one holder, unless complete tasks share the file under it; and nobody's file goes while it is held. */
  #checkHolders({ claims, tasks }: Data): void {
    const holders = new Map<string, string[]>()
    for (const [taskId, held] of claims) {
      must(18, held.length === 0 || tasks.has(taskId), `${taskId} is gone and still holds names`)
      for (const { foldedPath } of held) {
        holders.set(foldedPath, [...(holders.get(foldedPath) ?? []), taskId])
      }
    }
    const ours = new Map<string, Set<string>>()
    for (const task of tasks.values()) {
      if (task.request?.kind === 'delete' || task.request?.kind === 'redownload') continue
      for (const step of publishedSteps(task)) {
        const path = step.output?.path ?? ''
        const identity = step.output?.identity ?? ''
        must(18, this.core.files.stat(path)?.identity === identity, `${path} is not the file of ${task.id}`)
        const known = ours.get(path.toLowerCase()) ?? new Set()
        ours.set(path.toLowerCase(), known.add(task.id))
      }
    }
    for (const [path, held] of holders) {
      const sharing = ours.get(path)
      const mayShare = held.every((taskId) => sharing?.has(taskId) === true || this.#isLeaving(taskId))
      must(18, held.length === 1 || mayShare, `${path} is held by ${held.join(' and ')}`)
    }
    for (const [path, sharing] of ours) {
      for (const taskId of sharing) {
        must(
          18,
          holders.get(path)?.includes(taskId) === true,
          `${taskId} has published ${path} and holds it not`,
        )
      }
    }
  }

  #isLeaving(taskId: string): boolean {
    const kind = this.stored(taskId)?.request?.kind
    return kind === 'delete' || kind === 'redownload'
  }

  #checkHistory(tasks: readonly Task[], jobs: readonly Job[]): void {
    const ids = new Set(jobs.filter((job) => job.end !== null).map((job) => job.id))
    for (const id of this.invariants.endedJobIds) {
      must(4, ids.has(id), `the ended job ${id} is not in the history`)
    }
    for (const task of tasks) {
      const ended = isTerminal(taskState(task))
      must(4, ended === ids.has(task.job.id), `${task.id} and the history disagree about its job`)
    }
  }

  async #checkRows(stored: ReadonlyMap<string, Task>): Promise<void> {
    const query = { filter: 'all', search: '', sort: 'queue', order: 'asc', offset: 0, limit: 500 } as const
    const { rows } = await this.core.call('list.query', query)
    let place = 0
    for (const row of rows) {
      const task = stored.get(row.id)
      if (task === undefined) throw new Error(`the row ${row.id} shows no task`)
      must(1, row.state === taskState(task), `${row.id} is shown as ${row.state}`)
      must(19, row.progress >= 0 && row.progress <= 100, `${row.id} shows ${row.progress} %`)
      must(19, (row.progress === 100) === (row.state === 'COMPLETED'), `${row.id} shows ${row.progress} %`)
      must(20, row.state === 'RUNNING' || row.bytesPerSecond === 0, `${row.id} rests and shows a speed`)
      if (row.state === 'FAILED') must(24, row.error !== null, `${row.id} failed without saying why`)
      if (row.state === 'PAUSED') must(24, row.pause !== null, `${row.id} paused without saying why`)
      this.#checkWaiting(row, task)
      must(14, task.request?.kind !== 'delete', `${row.id} was deleted and is shown`)
      this.#checkProgress(row, task)
      if (row.state !== 'WAITING') continue
      place++
      must(6, row.queuePosition === place, `${row.id} is not at its place`)
    }
  }

  #checkProgress(row: TaskRow, task: Task): void {
    const shown = this.#shown.get(row.id)
    const attemptId = row.state === 'RUNNING' ? (task.attempt?.id ?? null) : null
    if (attemptId !== null && shown?.attemptId === attemptId) {
      must(19, row.progress >= shown.progress, `${row.id} went back to ${row.progress} %`)
    }
    this.#shown.set(row.id, { attemptId, progress: row.progress })
  }

  /** With a slot free, whoever still waits says why. */
  #checkWaiting(row: TaskRow, task: Task): void {
    if (row.state !== 'WAITING' || task.request !== null || row.blockedBy !== null) return
    const owned = this.tasks().filter((other) => other.attempt !== null && !other.overLimit).length
    const idle = owned < this.limit && !this.core.store.failCommits && !this.backingOff
    must(24, !idle, `${row.id} waits beside a free slot without a reason`)
  }

  /** no worker could be started a moment ago */
  get backingOff(): boolean {
    return this.core.faults.length > 0
  }
}

export function publishedSteps(task: Task): Step[] {
  return task.steps.filter((step) => publishedOutput(task, step) !== null)
}

/** What is not selected could be anything: nothing that counts is moved by it. */
function checkUnselected(task: Task): void {
  const unselected = new Set(task.files.filter((file) => !file.selected).map((file) => file.id))
  if (unselected.size === 0) return
  const what = (changed: Task) => {
    const facts = {
      figures: () => undefined,
      ...{ bytesPerSecond: 0, shownProgress: 0, queuePosition: null, blockedBy: null },
    }
    const { state, progress, size, doneBytes } = rowOf(changed, facts)
    const next = nextSteps(changed, 2).map((step) => step.id)
    return JSON.stringify({ state, progress, size, doneBytes, next })
  }
  const usual = what(task)
  for (const state of ['FAILED', 'WAITING', 'COMPLETED', 'PAUSED'] as const) {
    const steps = task.steps.map((step): Step => {
      if (step.fileId === null || !unselected.has(step.fileId)) return step
      return { ...step, state, doneBytes: 7, size: 11, fraction: 0.5 }
    })
    must(3, what({ ...task, steps }) === usual, `${task.id} is moved by what is unselected`)
  }
}

/** The stored data as text, without the token counter: a refused command may not even have looked at it. */
function comparable(store: CoreWorld['store']): string {
  const { tasks, jobs, attempts, claims, settings } = store.peek()
  return JSON.stringify([[...tasks], [...jobs], [...attempts], [...claims], settings])
}

function resultsOf(value: unknown): string[] | null {
  if (typeof value !== 'object' || value === null || !('results' in value)) return null
  const { results } = value
  if (!Array.isArray(results)) return null
  return results.map((result: { kind: string }) => result.kind)
}
