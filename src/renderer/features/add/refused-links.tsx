import type { JSX } from 'react'
import type { ErrorRecord } from '../../../shared/errors.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Marked } from '../../parts/marked.tsx'
import { errorHelp, errorSentence } from '../../rows/error-words.ts'

export interface RefusedLink {
  readonly link: string
  readonly error: ErrorRecord
}

/** So many reasons are listed; with ten thousand wrong links the first ones tell enough. */
const mostListed = 20

/** The links that the host refused, each with why and what to do. They are still in the field, to be corrected. */
export function RefusedLinks({ refused }: { refused: readonly RefusedLink[] }): JSX.Element | null {
  const words = useWords()
  if (refused.length === 0) return null
  const more = refused.length - mostListed
  return (
    <div className="note failed" role="alert">
      <Icon name="alert" />
      <h3>{words.t('add.refused', { count: refused.length })}</h3>
      <ul className="reasons">
        {refused.slice(0, mostListed).map(({ link, error }) => (
          <li key={link}>
            <span className="mono cut" title={link} dir="ltr">
              {link}
            </span>
            <span>
              <Marked text={errorSentence(words, error)} /> <Marked text={errorHelp(words, error)} />
            </span>
          </li>
        ))}
        {more > 0 && <li>{words.t('add.moreRefused', { count: more })}</li>}
      </ul>
    </div>
  )
}
