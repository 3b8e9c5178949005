/** A whole number between two bounds, by two buttons. The text between them may say more than the number. */
import type { JSX } from 'react'
import { useWords } from '../i18n/words-context.tsx'
import { ActionButton } from './action-button.tsx'
import { Icon } from './icon.tsx'

export interface StepperProps {
  readonly name: string
  readonly fewer: string
  readonly more: string
  readonly value: number
  readonly min: number
  readonly max: number
  readonly text: string
  readonly className?: string
  readonly onChange: (value: number) => void
}

export function Stepper(props: StepperProps): JSX.Element {
  const words = useWords()
  const { value, min, max, onChange } = props
  return (
    <span
      className={props.className === undefined ? 'stepper' : `stepper ${props.className}`}
      role="group"
      aria-label={props.name}
    >
      <ActionButton
        aria-label={props.fewer}
        title={props.fewer}
        refusal={value <= min ? words.t('stepper.least', { value: min }) : null}
        onAct={() => onChange(value - 1)}
      >
        <Icon name="minus" />
      </ActionButton>
      <output>{props.text}</output>
      <ActionButton
        aria-label={props.more}
        title={props.more}
        refusal={value >= max ? words.t('stepper.most', { value: max }) : null}
        onAct={() => onChange(value + 1)}
      >
        <Icon name="plus" />
      </ActionButton>
    </span>
  )
}
