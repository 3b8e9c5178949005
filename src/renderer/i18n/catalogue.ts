/** The shape of a catalogue. English is the one that decides which messages exist. */
import type { en } from './en.ts'

type PluralCategory = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other'

type Base<Key> = Key extends `${infer Name}_ordinal_${PluralCategory}`
  ? Name
  : Key extends `${infer Name}_${PluralCategory}`
    ? Name
    : Key

/** A message, whatever its plural forms. */
export type MessageKey = Base<keyof typeof en>

export type Catalogue = Readonly<Record<string, string>>
