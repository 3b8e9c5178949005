import type { JSX } from 'react'
import { useWords } from '../i18n/words-context.tsx'
import type { RowState } from '../rows/row-state.ts'
import { Cut } from './cut.tsx'
import { Icon } from './icon.tsx'

/** The state of a task: icon and word. Filled only when it waits for the user. */
export function Chip({ state }: { state: RowState }): JSX.Element {
  const words = useWords()
  const { tone, icon, word } = state
  return (
    <span className={`chip ${tone}`}>
      <Icon name={icon} />
      <Cut text={words.t(word)} />
    </span>
  )
}
