import type { JSX } from 'react'
import { useAppState } from '../../app-context.tsx'
import { plain } from '../../i18n/figures.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { errorSentence } from '../../rows/error-words.ts'

/** Tells screen readers what happened. The same message twice is said twice: each has its own element. */
export function Announcer(): JSX.Element {
  const words = useWords()
  const announcement = useAppState((state) => state.announcement)
  return (
    <div className="hidden" role="log" aria-live="polite" aria-relevant="additions">
      {announcement !== null && (
        <p key={announcement.id}>
          {words.t(announcement.message.key, announcement.message.values)}{' '}
          {announcement.error !== null && plain(errorSentence(words, announcement.error))}
        </p>
      )}
    </div>
  )
}
