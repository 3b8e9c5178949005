/** What the window says: messages of one catalogue with the formats of its locale. */
import type { i18n } from 'i18next'
import type { MessageKey } from './catalogue.ts'
import { isMarked, isolate, plain } from './figures.ts'
import { createFormat } from './format.ts'
import type { Format } from './format.ts'
import { languageFacts } from './languages.ts'
import type { Language } from './languages.ts'

/**
 * Values of a message. `count` chooses the plural form and is shown as `{{n}}`; every other value is shown as it
 * is, set apart like a figure unless its own figures already are.
 */
export type Values = Readonly<Record<string, string | number>>

export interface Words {
  readonly format: Format
  readonly direction: 'ltr' | 'rtl'
  /** the host's own texts are English: only then may they be shown beside ours */
  readonly isEnglish: boolean
  /** the message as plain text: names, tooltips, announcements */
  t(key: MessageKey, values?: Values): string
  /** the message with its figures set apart, to be shown by `Marked` */
  marked(key: MessageKey, values?: Values): string
  /** the message of an ordinal number ("27th in line") */
  ordinal(key: MessageKey, n: number): string
  /** a message whose key is only known at run time (error codes); undefined when the catalogue has none */
  lookUp(key: string, values?: Values): string | undefined
}

/** A value as it is put in: a sentence whose figures stand apart stays as it is, all else is set apart itself. */
function prepareValue(format: Format, value: string | number): string {
  if (typeof value === 'number') return isolate(format.number(value))
  return isMarked(value) ? value : isolate(value)
}

/** A message with its values in it. A value that is not given leaves nothing behind. */
function filled(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))
}

export function createWords(i18next: i18n, language: Language): Words {
  const format = createFormat(languageFacts[language].locale)

  const prepare = (values: Values): Record<string, string | number> => {
    const prepared: Record<string, string | number> = {}
    for (const [name, value] of Object.entries(values)) {
      if (name === 'count' && typeof value === 'number') {
        prepared['count'] = value
        prepared['n'] ??= isolate(format.number(value))
      } else {
        prepared[name] = prepareValue(format, value)
      }
    }
    return prepared
  }
  const say = (key: string, values: Record<string, string | number | boolean>): string =>
    i18next.t(key, values)
  // said many times a second: a message is looked up once, and filled in here unless a number chooses its form
  const templates = new Map<MessageKey, string>()
  const templateOf = (key: MessageKey): string => {
    const known = templates.get(key)
    if (known !== undefined) return known
    const template = say(key, { skipInterpolation: true })
    templates.set(key, template)
    return template
  }
  const marked = (key: MessageKey, values?: Values): string => {
    if (values === undefined) return templateOf(key)
    const prepared = prepare(values)
    return 'count' in values ? say(key, prepared) : filled(templateOf(key), prepared)
  }

  return {
    format,
    direction: languageFacts[language].direction,
    isEnglish: language === 'en',
    marked,
    t: (key, values) => plain(marked(key, values)),
    ordinal: (key, n) => say(key, { count: n, ordinal: true, n: isolate(format.number(n)) }),
    lookUp: (key, values = {}) => (i18next.exists(key) ? say(key, prepare(values)) : undefined),
  }
}
