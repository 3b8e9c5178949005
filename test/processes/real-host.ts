/** A host as it is, without a window: real store, real workers, real files; what it does can be awaited. */
import { entryPoint } from '../../src/adapters/entry-point.ts'
import { openPorts } from '../../src/adapters/open-ports.ts'
import { forkLauncher } from '../../src/adapters/workers/launcher.ts'
import type { Ports } from '../../src/core/ports.ts'
import type { Client, TaskService } from '../../src/core/service.ts'
import { createTaskService } from '../../src/core/task-service.ts'
import type { Answer } from '../../src/shared/contract/bridge.ts'
import type { CommandInput, CommandResult, Commands } from '../../src/shared/contract/commands.ts'
import { defaultSettings } from '../../src/shared/default-settings.ts'
import type { Settings } from '../../src/shared/settings.ts'
import { taskState } from '../../src/shared/task/derive.ts'
import type { Task } from '../../src/shared/task/model.ts'
import { HastyClock } from './hasty-clock.ts'

export interface RealHostOptions {
  dataFolder: string
  downloads: string
  settings?: Partial<Settings>
  /** the worker's program; the one of the app unless said */
  workerEntry?: string
  mayWrite?: (folder: string) => boolean
  /** what stands in FFmpeg's place; none unless said */
  ffmpegPath?: string
}

const pollMs = 25

export class RealHost {
  readonly service: TaskService
  readonly store: Ports['store']
  readonly clock = new HastyClock()
  readonly #client: Client
  readonly #release: () => void
  readonly faults: unknown[] = []
  /** connections that conditions have asked with, and that were answered or not */
  probes = 0

  private constructor(ports: Ports, release: () => void, options: RealHostOptions) {
    const { ffmpegPath, mayWrite } = options
    this.store = ports.store
    this.#release = release
    const { network } = ports
    const probe: Ports['network'] = {
      probe: (host, port) => network.probe(host, port).finally(() => this.probes++),
    }
    this.service = createTaskService(
      { ...ports, network: probe, clock: this.clock },
      {
        epoch: ports.random.id(),
        hostKind: 'cli',
        version: '0.0.0',
        platform: process.platform,
        initialSettings: { ...defaultSettings(options.downloads), ...options.settings },
        findFfmpeg: () =>
          Promise.resolve(ffmpegPath === undefined ? null : { path: ffmpegPath, version: '7' }),
        ...(mayWrite === undefined ? {} : { mayWrite }),
        onFault: (_taskId, error) => this.faults.push(error),
      },
    )
    this.#client = this.service.connect(() => undefined)
  }

  static async start(options: RealHostOptions): Promise<RealHost> {
    const launcher = forkLauncher({ entry: options.workerEntry ?? entryPoint('worker') })
    const { ports, release } = await openPorts({ dataFolder: options.dataFolder, launcher })
    const host = new RealHost(ports, release, options)
    await host.service.start()
    return host
  }

  async stop(graceMs = 0): Promise<void> {
    this.clock.go()
    await this.service.stop(graceMs)
    this.#release()
  }

  /** Whatever it is, as a transport would pass it on. */
  ask(name: string, input: unknown): Promise<Answer<unknown>> {
    return this.#client.call(name, input)
  }

  async call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    const answer = await this.#client.call(name, input)
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${answer.error.message}`)
    // the table of commands says what each answers
    return answer.value as CommandResult<N>
  }

  async add(...links: string[]): Promise<string[]> {
    const { results } = await this.call('tasks.add', { links })
    return results.map((result) => {
      if (result.kind === 'refused') throw new Error(result.error.message)
      return result.id
    })
  }

  async task(id: string): Promise<Task> {
    const task = await this.store.load(id)
    if (task === undefined) throw new Error(`there is no task ${id}`)
    return task
  }

  async state(id: string): Promise<string> {
    return taskState(await this.task(id))
  }

  async counts(): Promise<{ running: number; waiting: number; paused: number; all: number }> {
    const query = { filter: 'all', search: '', sort: 'queue', order: 'asc', offset: 0, limit: 1 } as const
    return (await this.call('list.query', query)).counts
  }

  /** Resolves with what the look found, as soon as it finds something. */
  async until<T>(look: () => Promise<T | null | false>, what: string, timeoutMs = 30_000): Promise<T> {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const found = await look()
      if (found !== null && found !== false) return found
      if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }

  untilState(id: string, state: string, timeoutMs?: number): Promise<true> {
    return this.until(async () => (await this.state(id)) === state, `${id} is ${state}`, timeoutMs)
  }
}
