import type { JSX } from 'react'
import { Icon } from './icon.tsx'

/** One of a few values, in the system's own list. A value that is none of the options is shown as one more. */
export function SelectBox<T extends string>(props: {
  id?: string
  name?: string
  describedBy?: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
}): JSX.Element {
  const { value, options } = props
  return (
    <span className="select-box">
      <select
        id={props.id}
        className="select"
        aria-label={props.name}
        aria-describedby={props.describedBy}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value)
          if (chosen !== undefined) props.onChange(chosen.value)
        }}
      >
        {!options.some((option) => option.value === value) && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="below" />
    </span>
  )
}
