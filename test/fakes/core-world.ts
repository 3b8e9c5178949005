/** A host's core over fakes, with a disk, a database and a clock that outlive it. */
import { createTaskService } from '../../src/core/task-service.ts'
import type { TaskServiceOptions } from '../../src/core/task-service.ts'
import type { Client, TaskService } from '../../src/core/service.ts'
import type { Answer } from '../../src/shared/contract/bridge.ts'
import type { CommandInput, CommandResult, Commands } from '../../src/shared/contract/commands.ts'
import type { Events } from '../../src/shared/contract/events.ts'
import type { EventName } from '../../src/shared/contract/names.ts'
import type { Settings } from '../../src/shared/settings.ts'
import { defaultSettings } from '../../src/shared/default-settings.ts'
import type { Plan, Task } from '../../src/shared/task/model.ts'
import { InMemoryTaskStore } from '../contracts/in-memory-task-store.ts'
import { CountingRandom } from './counting-random.ts'
import { FakeClock, settled } from './fake-clock.ts'
import { FakeFiles } from './fake-files.ts'
import { FakeNetwork } from './fake-network.ts'
import type { FakeWorker } from './fake-workers.ts'
import { FakeWorkerPool } from './fake-workers.ts'

export interface SeenEvent {
  name: EventName
  event: Events[EventName]
}

/** What a world is made of. */
export interface Fakes {
  readonly store: InMemoryTaskStore
  readonly files: FakeFiles
  /** the pool of one life; pids begin after this one */
  readonly poolFrom: (firstPid: number) => FakeWorkerPool
  /** lets everything that is ready run to its end */
  readonly settle: () => Promise<void>
}

export const downloads = '/downloads'

export class CoreWorld {
  readonly clock: FakeClock
  readonly files: FakeFiles
  readonly network = new FakeNetwork()
  readonly random = new CountingRandom()
  readonly faults: unknown[] = []
  readonly events: SeenEvent[] = []
  store: InMemoryTaskStore
  pool: FakeWorkerPool
  #service: TaskService | null = null
  #client: Client | null = null
  #epoch = 0
  readonly #settings: Partial<Settings>
  readonly #options: Partial<TaskServiceOptions>
  readonly #fakes: Fakes

  constructor(
    settings: Partial<Settings> = {},
    options: Partial<TaskServiceOptions> = {},
    fakes: Partial<Fakes> = {},
  ) {
    this.#settings = settings
    this.#options = options
    this.#fakes = {
      store: new InMemoryTaskStore(),
      files: new FakeFiles(),
      poolFrom: (firstPid) => new FakeWorkerPool(firstPid),
      settle: settled,
      ...fakes,
    }
    this.clock = new FakeClock(this.#fakes.settle)
    this.files = this.#fakes.files
    this.store = this.#fakes.store
    this.pool = this.#fakes.poolFrom(1000)
  }

  get service(): TaskService {
    if (this.#service === null) throw new Error('the host is not running')
    return this.#service
  }

  get client(): Client {
    if (this.#client === null) throw new Error('the host is not running')
    return this.#client
  }

  async start(): Promise<void> {
    const { clock, files, network, random, store, pool } = this
    this.#service = createTaskService(
      { clock, random, store, workers: pool, files, network },
      {
        epoch: `epoch${++this.#epoch}`,
        hostKind: 'cli',
        version: '0.0.0',
        platform: 'test',
        initialSettings: { ...defaultSettings(downloads), ...this.#settings },
        onFault: (_taskId, error) => this.faults.push(error),
        ...this.#options,
      },
    )
    this.#client = this.#service.connect((name, event) => this.events.push({ name, event }))
    const started = this.#service.start()
    await this.#fakes.settle()
    await started
    await this.#fakes.settle()
  }

  /** The host dies in the middle of whatever it does; what was committed is what is left. */
  crash(): void {
    this.clock.forgetTimers()
    this.pool.vanish()
    this.store = this.store.reopen()
    this.pool = this.#fakes.poolFrom(this.#epoch * 10_000)
    this.#service = null
    this.#client = null
  }

  async restartHost(): Promise<void> {
    this.crash()
    await this.start()
  }

  async call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    const answer = await this.answer(name, input)
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${answer.error.message}`)
    return answer.value
  }

  async answer<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<Answer<CommandResult<N>>> {
    const asked = this.client.call(name, input)
    await this.#fakes.settle()
    const answer = await asked
    await this.#fakes.settle()
    // The handler's own type is known to the table; a transport would validate nothing more either.
    return answer as Answer<CommandResult<N>>
  }

  /** Adds links and returns the ids of the tasks. */
  async add(...links: string[]): Promise<string[]> {
    const { results } = await this.call('tasks.add', { links })
    return results.map((result) => {
      if (result.kind === 'refused') throw new Error(`${result.link}: ${result.error.message}`)
      return result.id
    })
  }

  /** The task as it is stored, also after the host has stopped. */
  task(id: string): Promise<Task> {
    const task = this.store.snapshot().tasks.get(id)
    return task === undefined ? Promise.reject(new Error(`there is no task ${id}`)) : Promise.resolve(task)
  }

  /** The live worker that works for a task. */
  async workerOf(id: string): Promise<FakeWorker> {
    const task = await this.task(id)
    const worker = this.pool.alive.find((candidate) => candidate.pid === task.attempt?.worker?.pid)
    if (worker === undefined) throw new Error(`no worker works for ${id}`)
    return worker
  }
}

export function plainPlan(name: string, size: number | null = 1000, url = `http://host.test/${name}`): Plan {
  return {
    title: name,
    service: 'host.test',
    files: [
      {
        name,
        size,
        selected: true,
        steps: [
          {
            kind: 'download',
            stage: 0,
            optional: false,
            label: '',
            weight: 1,
            size,
            input: { kind: 'fetch', source: { url, headers: [], facts: null }, checksum: null },
          },
        ],
      },
    ],
  }
}
