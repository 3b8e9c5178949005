import type { JSX, Ref } from 'react'

/** One line of text under its label. `fault` and `help` say something below it, in words. */
export function TextField(props: {
  label: string
  value: string
  onChange: (value: string) => void
  /** links and headers read from left to right in every language; names go by what they begin with */
  dir?: 'ltr' | 'auto'
  isMono?: boolean
  isWrong?: boolean
  fault?: string
  help?: string
  placeholder?: string
  inputMode?: 'decimal'
  maxLength?: number
  isReadOnly?: boolean
  ref?: Ref<HTMLInputElement>
}): JSX.Element {
  const { ref } = props
  const isWrong = props.isWrong ?? props.fault !== undefined
  const look = ['input', ...(props.isMono ? ['mono'] : []), ...(isWrong ? ['is-wrong'] : [])]
  return (
    <label className="field">
      <span className="label">{props.label}</span>
      <input
        ref={ref}
        className={look.join(' ')}
        dir={props.dir}
        spellCheck={false}
        inputMode={props.inputMode}
        maxLength={props.maxLength}
        aria-invalid={isWrong}
        aria-disabled={props.isReadOnly}
        readOnly={props.isReadOnly}
        placeholder={props.placeholder}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
      {props.help !== undefined && <span className="help">{props.help}</span>}
      {props.fault !== undefined && (
        <span className="help wrong" role="alert">
          {props.fault}
        </span>
      )}
    </label>
  )
}
