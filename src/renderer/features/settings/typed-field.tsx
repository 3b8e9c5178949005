/**
 * A field that keeps what is typed to itself until it is left or Enter is pressed; Escape and what is refused bring
 * back what is stored. Times pass through others while they are typed, so none of them may apply before.
 */
import { useState } from 'react'
import type { JSX } from 'react'

export function TypedField(props: {
  name: string
  whyId?: string
  /** what holds; news of it replace what is typed */
  stored: string
  className: string
  type?: 'text' | 'time'
  inputMode?: 'decimal'
  /** whether the text is taken */
  onCommit: (text: string) => boolean
}): JSX.Element {
  const { stored } = props
  const [text, setText] = useState(stored)
  const [seen, setSeen] = useState(stored)
  if (seen !== stored) {
    setSeen(stored)
    setText(stored)
  }
  const commit = (): void => {
    if (text !== stored && !props.onCommit(text)) setText(stored)
  }
  return (
    <input
      type={props.type ?? 'text'}
      className={props.className}
      aria-label={props.name}
      aria-describedby={props.whyId}
      spellCheck={false}
      inputMode={props.inputMode}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit()
        if (event.key === 'Escape') setText(stored)
      }}
    />
  )
}
