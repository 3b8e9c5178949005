/** The origins of other programs that may ask: those that the host was started with, and the one of the settings. */
import type { Client, TaskService } from '../core/service.ts'
import type { Events } from '../shared/contract/events.ts'
import { settingsSchema } from '../shared/settings.ts'

export class AllowedOrigins {
  readonly #given: readonly string[]
  readonly #client: Client
  #ofSettings = ''

  constructor(service: Pick<TaskService, 'connect'>, given: readonly string[]) {
    this.#given = given
    this.#client = service.connect((name, event) => {
      // `name` and `event` belong together by the type of SendEvent
      if (name === 'settings.changed') this.#ofSettings = (event as Events['settings.changed']).allowedOrigin
    })
  }

  get all(): readonly string[] {
    return this.#ofSettings === '' ? this.#given : [...this.#given, this.#ofSettings]
  }

  /** Takes over what is set; from then on it follows the settings. */
  async begin(): Promise<void> {
    const answer = await this.#client.call('settings.get', {})
    if (answer.ok) this.#ofSettings = settingsSchema.parse(answer.value).allowedOrigin
  }

  close(): void {
    this.#client.close()
  }
}
