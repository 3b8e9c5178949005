import type { Settings } from '../../shared/settings.ts'
import { settingsSchema } from '../../shared/settings.ts'
import type { Connection } from './connection.ts'
import { reasonOf } from './quarantine.ts'
import type { Quarantine } from './quarantine.ts'

const onlyRow = 1

/** One row. A value that does not fit loses itself, not the other settings: the record is set aside whole. */
export class SettingRecords {
  readonly #db: Connection
  readonly #quarantine: Quarantine

  constructor(db: Connection, quarantine: Quarantine) {
    this.#db = db
    this.#quarantine = quarantine
  }

  put(settings: Partial<Settings>): void {
    this.#db
      .prepare('INSERT INTO settings (id, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body')
      .run(onlyRow, JSON.stringify(settings))
  }

  load(): Partial<Settings> {
    const body = this.#db
      .prepare<[number], string>('SELECT body FROM settings WHERE id = ?')
      .pluck()
      .get(onlyRow)
    if (body === undefined) return {}
    try {
      return fitting(JSON.parse(body))
    } catch (error) {
      const sound = soundOf(body)
      this.#quarantine.note({
        table: 'settings',
        key: String(onlyRow),
        reason: reasonOf(error),
        body,
        sound: JSON.stringify(sound),
      })
      return sound
    }
  }
}

/** @throws when a value does not fit; keys that are not known are left out */
function fitting(stored: unknown): Partial<Settings> {
  const settings = settingsSchema.partial().parse(stored)
  // JSON has no `undefined`: what is there has a value, which `partial()` cannot say in types
  return settings as Partial<Settings>
}

function soundOf(body: string): Partial<Settings> {
  try {
    const stored = Object.entries(JSON.parse(body) as Record<string, unknown>)
    const one = settingsSchema.partial()
    return fitting(
      Object.fromEntries(stored.filter(([key, value]) => one.safeParse({ [key]: value }).success)),
    )
  } catch {
    // not even JSON: there is nothing to keep, and the caller has set the record aside
    return {}
  }
}
