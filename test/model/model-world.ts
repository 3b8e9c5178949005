/** The real thing under the model: a host over fakes whose every transaction is checked, and what it has seen. */
import { isTerminal, taskState } from '../../src/shared/task/derive.ts'
import type { Settings } from '../../src/shared/settings.ts'
import type { Attempt, Job, Task } from '../../src/shared/task/model.ts'
import type { TaskRow } from '../../src/shared/view.ts'
import type { CommandInput, Commands } from '../../src/shared/contract/commands.ts'
import { publishes } from '../../src/core/transition/steps.ts'
import { CoreWorld } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'
import type { FakeWorker, RunStep } from '../fakes/fake-workers.ts'
import { CheckedStore } from './checked-store.ts'
import { must, StoredInvariants } from './invariants.ts'
import { SimWorkers } from './sim-workers.ts'

type Data = ReturnType<CheckedStore['snapshot']>

interface Shown {
  attemptId: string | null
  progress: number
}

export class ModelWorld {
  readonly invariants = new StoredInvariants()
  readonly violations: unknown[] = []
  readonly core: CoreWorld
  readonly workers: SimWorkers
  /** tasks that were added and not deleted for good */
  readonly ids: string[] = []
  #shown = new Map<string, Shown>()

  constructor(settings: Partial<Settings>) {
    const store = new CheckedStore(this.invariants, this.violations)
    this.core = new CoreWorld(settings, {}, store)
    this.workers = new SimWorkers(this.core, this.violations)
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
    this.core.crash()
    this.#shown = new Map()
    this.workers.attach()
    await this.core.start()
  }

  /** The faults of the world end; those of the workers that are alive stay. */
  heal(): void {
    this.core.store.failCommits = null
    this.core.network.offline = false
    this.core.network.silent.clear()
    this.core.files.missing.clear()
    this.core.files.freeBytes = 1e12
  }

  /** All stored tasks, also those that wait for their purge. */
  tasks(): Task[] {
    return [...this.core.store.snapshot().tasks.values()]
  }

  stored(id: string): Task | undefined {
    return this.core.store.snapshot().tasks.get(id)
  }

  /** The open orders of all workers, in a stable order. */
  orders(): { worker: FakeWorker; order: RunStep }[] {
    return this.core.pool.alive
      .filter((worker) => !this.workers.deaf.has(worker))
      .flatMap((worker) => [...worker.orders.values()].map((order) => ({ worker, order })))
  }

  /**
   * Carries out a command of the contract. Invariant 22: what is refused leaves everything as it was.
   */
  async call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<boolean> {
    this.invariants.operation = name.replace('tasks.', '')
    const before = comparable(this.core.store)
    const answer = await this.core.client.call(name, input)
    // A command that was carried out may have changed anything; only a refusal is compared.
    const results = answer.ok ? resultsOf(answer.value) : null
    const refused = !answer.ok || (results !== null && results.every((kind) => kind === 'refused'))
    if (refused) must(22, comparable(this.core.store) === before, `${name} was refused and changed something`)
    await settled()
    await this.check()
    return !refused
  }

  /** Everything is at rest: looks at what is stored, what runs and what is shown. */
  async check(): Promise<void> {
    if (this.violations.length > 0) throw this.violations[0]
    const data = this.core.store.snapshot()
    const tasks = [...data.tasks.values()]
    for (const task of tasks) this.invariants.task(task)
    this.#checkOwnership(tasks, [...data.attempts.values()])
    this.#checkLimit(tasks)
    this.#checkClaims(data)
    this.#checkHistory(tasks, [...data.jobs.values()])
    await this.#checkRows(data.tasks)
  }

  #checkOwnership(tasks: readonly Task[], attempts: readonly Attempt[]): void {
    const open = attempts.filter((attempt) => attempt.end === null)
    const byTask = Map.groupBy(open, (attempt) => attempt.taskId)
    for (const [taskId, owning] of byTask) must(11, owning.length === 1, `${taskId} has two attempts`)
    for (const task of tasks) {
      const pid = task.attempt?.worker?.pid
      const alive = this.core.pool.alive.some((worker) => worker.pid === pid)
      const runs = task.steps.some((step) => step.state === 'RUNNING')
      must(11, !runs || alive, `${task.id} runs without a live worker`)
    }
  }

  /** Invariant 5, with everything at rest: what exceeds the limit is being stopped or must not be stopped. */
  #checkLimit(tasks: readonly Task[]): void {
    const limit = this.limit
    const owned = tasks.filter((task) => task.attempt !== null && !task.overLimit)
    const going = owned.filter(
      (task) =>
        task.steps.some((step) => step.state === 'RUNNING') &&
        (task.request === null || task.request.kind === 'select'),
    )
    const preemptible = going.filter((task) =>
      task.steps.every((step) => step.state !== 'RUNNING' || step.preemptible),
    )
    must(5, going.length <= limit || preemptible.length === 0, `${going.length} run, ${limit} may`)
  }

  limit = 3

  /** Invariant 18 for names: no two tasks hold one, and nobody's file goes while it is held. */
  #checkClaims({ claims, tasks }: Data): void {
    const seen = new Map<string, string>()
    for (const [taskId, held] of claims) {
      must(18, held.length === 0 || tasks.has(taskId), `${taskId} is gone and still holds names`)
      for (const claim of held) {
        const other = seen.get(claim.foldedPath)
        must(18, other === undefined, `${claim.path} is held by ${taskId} and ${other ?? ''}`)
        seen.set(claim.foldedPath, taskId)
      }
    }
    for (const task of tasks.values()) {
      if (task.request?.kind === 'delete' || task.request?.kind === 'redownload') continue
      for (const step of task.steps) {
        if (step.state !== 'COMPLETED' || step.output === null || !publishes(task, step)) continue
        const file = this.core.files.stat(step.output.path)
        must(17, file?.identity === step.output.identity, `${step.output.path} is not the file of ${task.id}`)
      }
    }
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
    const answer = await this.core.client.call('list.query', {
      filter: 'all',
      search: '',
      sort: 'queue',
      order: 'asc',
      offset: 0,
      limit: 500,
    })
    if (!answer.ok) throw new Error(answer.error.message)
    // The table of commands gives this shape for `list.query`.
    const { rows } = answer.value as { rows: TaskRow[] }
    let place = 0
    for (const row of rows) {
      const task = stored.get(row.id)
      if (task === undefined) throw new Error(`the row ${row.id} shows no task`)
      must(1, row.state === taskState(task), `${row.id} is shown as ${row.state}`)
      must(19, row.progress >= 0 && row.progress <= 100, `${row.id} shows ${row.progress} %`)
      must(19, (row.progress === 100) === (row.state === 'COMPLETED'), `${row.id} shows ${row.progress} %`)
      must(20, row.state === 'RUNNING' || row.bytesPerSecond === 0, `${row.id} rests and shows a speed`)
      must(24, row.state !== 'FAILED' || row.error !== null, `${row.id} failed without saying why`)
      must(24, row.state !== 'PAUSED' || row.pause !== null, `${row.id} paused without saying why`)
      this.#checkWaiting(row, task)
      must(14, task.request?.kind !== 'delete', `${row.id} was deleted and is shown`)
      const shown = this.#shown.get(row.id)
      const attemptId = task.attempt?.id ?? null
      const sameAttempt = row.state === 'RUNNING' && shown?.attemptId === attemptId
      must(19, !sameAttempt || row.progress >= shown.progress, `${row.id} went back to ${row.progress} %`)
      this.#shown.set(row.id, {
        attemptId: row.state === 'RUNNING' ? attemptId : null,
        progress: row.progress,
      })
      if (row.state === 'WAITING') place++
      must(6, row.state !== 'WAITING' || row.queuePosition === place, `${row.id} is not at its place`)
    }
    this.#checkUnselected(rows, stored)
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

  /** Invariant 3: what is not selected could be anything. */
  #checkUnselected(rows: readonly TaskRow[], stored: ReadonlyMap<string, Task>): void {
    for (const row of rows) {
      const task = stored.get(row.id)
      if (task === undefined) continue
      const unselected = new Set(task.files.filter((file) => !file.selected).map((file) => file.id))
      const without = task.steps.filter((step) => step.fileId === null || !unselected.has(step.fileId))
      must(
        3,
        taskState({ ...task, steps: without }) === row.state,
        `${row.id} is moved by what is unselected`,
      )
    }
  }
}

/** The stored data as text, without the token counter: a refused command may not even have looked at it. */
function comparable(store: CoreWorld['store']): string {
  const { tasks, jobs, attempts, claims, settings } = store.snapshot()
  return JSON.stringify([[...tasks], [...jobs], [...attempts], [...claims], settings])
}

function resultsOf(value: unknown): string[] | null {
  if (typeof value !== 'object' || value === null || !('results' in value)) return null
  const { results } = value
  if (!Array.isArray(results)) return null
  return results.map((result: { kind: string }) => result.kind)
}
