import type { JSX } from 'react'
import { useWords } from '../i18n/words-context.tsx'

/** Request headers as text, one a line. `fault` says what is wrong with them, in words. */
export function HeadersField(props: {
  rows: number
  value: string
  fault: string | null
  onChange: (value: string) => void
}): JSX.Element {
  const words = useWords()
  const { fault } = props
  return (
    <label className="field">
      <span className="label">{words.t('add.headers')}</span>
      <textarea
        className={fault === null ? 'input mono' : 'input mono is-wrong'}
        rows={props.rows}
        wrap="off"
        spellCheck={false}
        dir="ltr"
        aria-invalid={fault !== null}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
      {fault === null ? (
        <span className="help">{words.t('add.headersHelp')}</span>
      ) : (
        <span className="help wrong" role="alert">
          {fault}
        </span>
      )}
    </label>
  )
}
