/** Errors in words: by code from the catalogue, with the facts that came along; the host's own text is the last resort. */
import type { ErrorCode, ErrorRecord } from '../../shared/errors.ts'
import { duration } from '../i18n/format.ts'
import type { Words } from '../i18n/words.ts'

/** Codes that stand for many faults: in English the host's own sentence says more than ours. */
const wideCodes: ReadonlySet<ErrorCode> = new Set([
  'INVALID_INPUT',
  'FORBIDDEN',
  'CONFLICT',
  'UNSUPPORTED',
  'DOWNLOAD_ERROR',
])

/** Facts for which a code may have a more exact message, the most telling first. */
const telling = ['outsideHours', 'neededBytes', 'expectedSeconds', 'status', 'host'] as const

const isWide = (error: ErrorRecord): boolean => wideCodes.has(error.code) && error.message !== ''

/** A fact by the unit in its name. */
function factText(words: Words, name: string, value: string | number | boolean): string {
  if (typeof value !== 'number') return String(value)
  if (name.endsWith('Bytes')) return words.format.size(value)
  return /seconds$/i.test(name) ? duration(words, value) : String(value)
}

function factsOf(words: Words, error: ErrorRecord): Record<string, string> {
  const facts: Record<string, string> = {}
  for (const [name, value] of Object.entries(error.details ?? {})) {
    facts[name] = factText(words, name, value)
  }
  return facts
}

/** What happened as a clause ("the host has no such file (404)"), to stand behind "Failed:". */
export function errorClause(words: Words, error: ErrorRecord): string {
  if (words.isEnglish && isWide(error)) return uncapitalise(error.message)
  const facts = factsOf(words, error)
  for (const name of telling) {
    if (facts[name] === undefined) continue
    const exact = words.lookUp(`error.${error.code}.${name}`, facts)
    if (exact !== undefined) return exact
  }
  return words.lookUp(`error.${error.code}`, facts) ?? uncapitalise(error.message)
}

/** What happened as a sentence of its own. */
export function errorSentence(words: Words, error: ErrorRecord): string {
  const own = words.lookUp(`error.${error.code}.sentence`)
  if (own !== undefined) return own
  return words.marked('sentence', { clause: capitalise(errorClause(words, error)) })
}

/** The next step as a sentence, and what was kept. */
export function errorHelp(words: Words, error: ErrorRecord): string {
  if (words.isEnglish && wideCodes.has(error.code) && error.hint !== '') return error.hint
  return words.lookUp(`error.${error.code}.help`, factsOf(words, error)) ?? error.hint
}

function capitalise(text: string): string {
  // a sentence that begins with a figure stays as it is: "12 s", not "12 S"
  return text.replace(/^\p{L}/u, (letter) => letter.toUpperCase())
}

function uncapitalise(text: string): string {
  // an abbreviation ("HTTP") stays as it is
  return /^\p{Lu}(?!\p{Lu})/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}
