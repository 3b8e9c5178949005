/** Which languages there are, and how one is loaded. English is always there; the others come when they are chosen. */
import { createInstance } from 'i18next'
import type { i18n } from 'i18next'
import type { Settings } from '../../shared/settings.ts'
import type { Catalogue } from './catalogue.ts'
import { en } from './en.ts'

export const languages = ['en', 'zh-CN', 'pseudo'] as const
export type Language = (typeof languages)[number]

interface LanguageFacts {
  /** of the document, for fonts, hyphenation and screen readers */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  /** of numbers and dates */
  readonly locale: string
}

/** English texts with the 24-hour clock and day before month. */
export const languageFacts: Readonly<Record<Language, LanguageFacts>> = {
  en: { tag: 'en', direction: 'ltr', locale: 'en-GB' },
  'zh-CN': { tag: 'zh-CN', direction: 'ltr', locale: 'zh-CN' },
  pseudo: { tag: 'en-XA', direction: 'rtl', locale: 'en-GB' },
}

/** The language to show, by the setting and what the system prefers, in order. */
export function chooseLanguage(setting: Settings['language'], preferred: readonly string[]): Language {
  if (setting !== 'system') return setting
  for (const tag of preferred) {
    const primary = tag.toLowerCase().split('-')[0]
    if (primary === 'en') return 'en'
    if (primary === 'zh') return 'zh-CN'
  }
  return 'en'
}

async function loadCatalogue(language: Language): Promise<Catalogue> {
  switch (language) {
    case 'en':
      return en
    case 'zh-CN':
      return (await import('./zh-cn.ts')).zhCn
    case 'pseudo':
      return (await import('./pseudo.ts')).pseudoCatalogue(en)
  }
}

/** An i18next with English in it. Keys are flat; React escapes, so values are not escaped twice. */
export function createI18n(): i18n {
  const instance = createInstance()
  void instance.init({
    lng: 'en',
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    load: 'currentOnly',
    keySeparator: false,
    nsSeparator: false,
    initAsync: false,
    interpolation: { escapeValue: false, skipOnVariables: true },
  })
  return instance
}

/** Loads a language when it is not there yet, then changes to it. */
export async function changeLanguage(instance: i18n, language: Language): Promise<void> {
  const { tag } = languageFacts[language]
  if (!instance.hasResourceBundle(tag, 'translation')) {
    instance.addResourceBundle(tag, 'translation', await loadCatalogue(language))
  }
  await instance.changeLanguage(tag)
}
