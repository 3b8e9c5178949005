import { useId } from 'react'
import type { JSX } from 'react'

export interface Segment<T extends string> {
  readonly value: T
  readonly label: string
}

/** A choice between a few short words, all seen at once: radio buttons that look like one control. */
export function Segmented<T extends string>(props: {
  name: string
  segments: readonly Segment<T>[]
  value: T
  onChange: (value: T) => void
}): JSX.Element {
  const group = useId()
  return (
    <div className="segmented wide-segments" role="radiogroup" aria-label={props.name}>
      {props.segments.map(({ value, label }) => (
        <label key={value} className={value === props.value ? 'is-chosen' : undefined}>
          <input
            className="hidden"
            type="radio"
            name={group}
            value={value}
            checked={value === props.value}
            onChange={() => props.onChange(value)}
          />
          {label}
        </label>
      ))}
    </div>
  )
}
