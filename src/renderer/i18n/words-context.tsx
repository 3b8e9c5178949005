/** The words of the chosen language for all components; the document's language and direction follow. */
import { createContext, use, useEffect, useMemo } from 'react'
import type { JSX, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../shared/settings.ts'
import { changeLanguage, chooseLanguage, languageFacts, languages } from './languages.ts'
import { createWords } from './words.ts'
import type { Words } from './words.ts'

const WordsContext = createContext<Words | null>(null)

export function useWords(): Words {
  const words = use(WordsContext)
  if (words === null) throw new Error('A component stands outside of WordsProvider')
  return words
}

export function WordsProvider(props: { setting: Settings['language']; children: ReactNode }): JSX.Element {
  const { i18n } = useTranslation()
  const wanted = chooseLanguage(props.setting, navigator.languages)
  // shown is what has been loaded; the wanted one follows when its catalogue is here
  const shown = languages.find((language) => languageFacts[language].tag === i18n.language) ?? 'en'
  const words = useMemo(() => createWords(i18n, shown), [i18n, shown])

  useEffect(() => {
    void changeLanguage(i18n, wanted)
  }, [i18n, wanted])
  useEffect(() => {
    document.documentElement.lang = languageFacts[shown].tag
    document.documentElement.dir = languageFacts[shown].direction
  }, [shown])

  return <WordsContext value={words}>{props.children}</WordsContext>
}
