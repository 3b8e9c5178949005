/** A host with honest workers, and the few moves that most tests of the core begin with. */
import type { TaskServiceOptions } from '../../src/core/task-service.ts'
import type { Settings } from '../../src/shared/settings.ts'
import { taskState } from '../../src/shared/task/derive.ts'
import type { Step, Task } from '../../src/shared/task/model.ts'
import { CoreWorld } from '../fakes/core-world.ts'
import { FailingStore } from '../fakes/failing-store.ts'
import { settled } from '../fakes/fake-clock.ts'
import type { FakeWorker, RunStep } from '../fakes/fake-workers.ts'
import { SimWorkers } from '../model/sim-workers.ts'

export class TestHost extends CoreWorld {
  readonly violations: unknown[] = []
  readonly workers = new SimWorkers(this, this.violations)

  constructor(settings: Partial<Settings> = {}, options: Partial<TaskServiceOptions> = {}) {
    super(settings, options, { store: new FailingStore() })
  }

  /** The host dies after so many more commits, in the middle of whatever it does then. */
  failAfter(commits: number): void {
    if (this.store instanceof FailingStore) this.store.failAfter(commits)
  }

  override async start(): Promise<void> {
    this.workers.attach()
    await super.start()
  }

  /** The open orders of a task's worker. */
  async ordersOf(id: string): Promise<{ worker: FakeWorker; order: RunStep }[]> {
    const worker = await this.workerOf(id)
    return [...worker.orders.values()].map((order) => ({ worker, order }))
  }

  /** Lets the running steps of a task end honestly. */
  async finish(id: string): Promise<void> {
    for (const { worker, order } of await this.ordersOf(id)) this.workers.finish(worker, order)
    await settled()
  }

  /** New durable bytes in every running step of a task. */
  async advance(id: string, bytes: number): Promise<void> {
    for (const { worker, order } of await this.ordersOf(id)) this.workers.advance(worker, order, bytes)
    await settled()
  }

  /** Adds a link and has it resolved, so that its tracks run. */
  async addRunning(link: string): Promise<string> {
    const [id = ''] = await this.add(link)
    await this.finish(id)
    return id
  }

  async state(id: string): Promise<string> {
    return taskState(await this.task(id))
  }

  /** Work goes on honestly until nothing runs, at most `rounds` times. */
  async work(rounds = 50): Promise<void> {
    for (let round = 0; round < rounds && this.pool.alive.length > 0; round++) {
      for (const worker of this.pool.alive) {
        for (const order of [...worker.orders.values()]) this.workers.finish(worker, order)
      }
      await settled()
      await settled()
    }
  }

  async step(id: string, kind: Step['kind']): Promise<Step> {
    const task: Task = await this.task(id)
    const step = task.steps.find((candidate) => candidate.kind === kind)
    if (step === undefined) throw new Error(`${id} has no ${kind}`)
    return step
  }

  /** Ids of waiting tasks from the head of the queue. */
  waiting(): string[] {
    return [...this.store.snapshot().tasks.values()]
      .filter((task) => taskState(task) === 'WAITING')
      .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
      .map((task) => task.id)
  }

  running(): string[] {
    return [...this.store.snapshot().tasks.values()]
      .filter((task) => taskState(task) === 'RUNNING')
      .toSorted((a, b) => (a.attempt?.token ?? 0) - (b.attempt?.token ?? 0))
      .map((task) => task.id)
  }

  /** Everything that is stored, as text. */
  stored(): string {
    const { tasks, jobs, attempts, claims, settings } = this.store.snapshot()
    return JSON.stringify([[...tasks], [...jobs], [...attempts], [...claims], settings])
  }
}

export async function startedHost(
  settings: Partial<Settings> = {},
  options: Partial<TaskServiceOptions> = {},
): Promise<TestHost> {
  const host = new TestHost(settings, options)
  await host.start()
  return host
}

export function plainLinks(count: number, host = 'host.test'): string[] {
  return Array.from({ length: count }, (_, index) => `http://${host}/plain/${index}`)
}
