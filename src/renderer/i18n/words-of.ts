/** Words of a language for unit tests, as the window has them. */
import { changeLanguage, createI18n } from './languages.ts'
import type { Language } from './languages.ts'
import { createWords } from './words.ts'
import type { Words } from './words.ts'

export async function wordsOf(language: Language): Promise<Words> {
  const i18n = createI18n()
  await changeLanguage(i18n, language)
  return createWords(i18n, language)
}
