import type { JSX } from 'react'
import type { TaskRow } from '../../shared/view.ts'
import { useWords } from '../i18n/words-context.tsx'
import { rowState } from '../rows/row-state.ts'
import { Cut } from './cut.tsx'
import { Icon } from './icon.tsx'

/** The state of a task: icon and word. Filled only when it waits for the user. */
export function Chip({ row }: { row: TaskRow }): JSX.Element {
  const words = useWords()
  const { tone, icon, word } = rowState(row)
  return (
    <span className={`chip ${tone}`}>
      <Icon name={icon} />
      <Cut text={words.t(word)} />
    </span>
  )
}
