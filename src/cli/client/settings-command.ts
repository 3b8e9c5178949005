/** `sluice settings`: all of them, one, or one changed. The keys are those of the API and of the window. */
import type { Settings } from '../../shared/settings.ts'
import { settingsSchema } from '../../shared/settings.ts'
import { SluiceError } from '../../shared/errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectClient, sayJson, sayLine } from './client.ts'
import type { ClientOptions } from './client.ts'

export const settingKeys = settingsSchema.keyof().options

export async function runSettings(
  key: string | undefined,
  value: string | undefined,
  options: ClientOptions,
): Promise<number> {
  const known = key === undefined ? null : knownKey(key)
  const { host, json } = await connectClient(options)
  const settings =
    known === null || value === undefined
      ? await host.call('settings.get', {})
      : await host.call('settings.set', { [known]: valueOf(known, value) })
  if (json) sayJson(known === null ? settings : settings[known])
  else if (known !== null) sayLine(words(settings[known]))
  else for (const each of settingKeys) sayLine(`${each} = ${words(settings[each])}`)
  return exitCodes.whole
}

const words = (value: Settings[keyof Settings]): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

function knownKey(key: string): keyof Settings {
  const known = settingKeys.find((each) => each === key)
  if (known !== undefined) return known
  const wanted = key.toLowerCase()
  const close = settingKeys.filter((each) => each.toLowerCase().includes(wanted)).slice(0, 3)
  throw new SluiceError('INVALID_INPUT', `There is no setting "${key}"`, {
    hint:
      close.length === 0 ? 'See "sluice settings" for all of them.' : `Did you mean ${close.join(' or ')}?`,
  })
}

/** A text where the setting is one, else what the text says in JSON: a number, true, a list. */
function valueOf(key: keyof Settings, text: string): unknown {
  const schema = settingsSchema.shape[key]
  if (schema.safeParse(text).success) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // what is no JSON stays the text that it is, for the schema to refuse
    value = text
  }
  const fitting = schema.safeParse(value)
  if (fitting.success) return fitting.data
  const [issue] = fitting.error.issues
  throw new SluiceError('INVALID_INPUT', `"${text}" does not fit ${key} (${issue?.message ?? 'invalid'})`, {
    hint: `See "sluice settings ${key}" for what it is now, and docs/api.md for what it may be.`,
  })
}
