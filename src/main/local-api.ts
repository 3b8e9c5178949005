/**
 * The API for other programs on this machine: the very one of the server, on loopback only, while the setting says
 * so. Off unless the user turns it on; its code is not even loaded before. What clients download stays below the
 * download folder of the settings.
 */
import { SystemClock } from '../adapters/clock.ts'
import type { Client, TaskService } from '../core/service.ts'
import type { FolderRules } from '../http/folder-rules.ts'
import type { NetworkHost } from '../http/network-host.ts'
import type { Events } from '../shared/contract/events.ts'
import { settingsSchema } from '../shared/settings.ts'
import type { Settings } from '../shared/settings.ts'

export interface LocalApiOptions {
  service: Pick<TaskService, 'connect'>
  dataFolder: string
  version: string
  /** It could not be offered: the port is taken, or the secret cannot be stored. */
  onProblem: (error: unknown) => void
}

export class LocalApi {
  readonly #options: LocalApiOptions
  readonly #client: Client
  #settings: Settings | null = null
  #running: NetworkHost | null = null
  /** what was tried last; a problem is not tried again until the setting changes */
  #port: number | null = null
  /** one change after the other */
  #work: Promise<void> = Promise.resolve()

  constructor(options: LocalApiOptions) {
    this.#options = options
    this.#client = options.service.connect((name, event) => {
      // `name` and `event` belong together by the type of SendEvent
      if (name === 'settings.changed') this.#use(event as Events['settings.changed'])
    })
  }

  /** Takes over what is set; from then on it follows the settings. */
  async begin(): Promise<void> {
    const answer = await this.#client.call('settings.get', {})
    if (answer.ok) this.#use(settingsSchema.parse(answer.value))
    await this.#work
  }

  /** Ends every connection. */
  async stop(): Promise<void> {
    this.#client.close()
    this.#change(null)
    await this.#work
  }

  #use(settings: Settings): void {
    this.#settings = settings
    this.#change(settings.localApi === 'on' ? settings.localApiPort : null)
  }

  #change(port: number | null): void {
    this.#work = this.#work
      .then(async () => {
        if (port === this.#port) return
        this.#port = port
        await this.#running?.stop()
        this.#running = null
        if (port !== null) this.#running = await this.#start(port)
      })
      .catch(this.#options.onProblem)
  }

  async #start(port: number): Promise<NetworkHost> {
    const { service, dataFolder, version } = this.#options
    const [{ startNetworkHost }, folderRules, { createLog }] = await Promise.all([
      import('../http/network-host.ts'),
      import('../http/folder-rules.ts'),
      import('../http/log.ts'),
    ])
    const folders: FolderRules = new folderRules.FolderRules(() => [
      this.#settings?.downloadFolder ?? dataFolder,
    ])
    return startNetworkHost({
      ...{ service, dataFolder, version, folders, port, host: '127.0.0.1', secret: null },
      // the window is here already
      windowFolder: null,
      clock: new SystemClock(),
      log: createLog((line) => process.stderr.write(line)),
    })
  }
}
