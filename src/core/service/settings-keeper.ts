/** The settings in force: defaults of the host, what is stored, and changes, committed before they count. */
import type { Settings, SettingsPatch } from '../../shared/settings.ts'
import { settingsSchema } from '../../shared/settings.ts'
import type { TaskStore } from '../ports.ts'

export class SettingsKeeper {
  readonly #store: TaskStore
  #settings: Settings
  readonly #listeners: ((settings: Settings) => void)[] = []

  constructor(store: TaskStore, initial: Settings) {
    this.#store = store
    this.#settings = initial
  }

  get current(): Settings {
    return this.#settings
  }

  onChange(listener: (settings: Settings) => void): void {
    this.#listeners.push(listener)
  }

  /** What is stored counts where it still fits the schema. */
  async load(): Promise<void> {
    const stored = await this.#store.loadSettings()
    // a short command stores none, and need not make the schema to find that out
    if (Object.keys(stored).length === 0) return
    const fitting = settingsSchema.safeParse({ ...this.#settings, ...stored })
    if (fitting.success) this.#settings = fitting.data
  }

  async change(patch: SettingsPatch): Promise<Settings> {
    const settings = { ...this.#settings, ...patch }
    await this.#store.commit([{ kind: 'put-settings', settings }])
    this.#settings = settings
    for (const listener of this.#listeners) listener(settings)
    return settings
  }
}
