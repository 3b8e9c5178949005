import type { JSX } from 'react'

/** An on-off switch. Its name says what is switched, not the state. */
export function Switch(props: {
  name: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}): JSX.Element {
  return (
    <button
      type="button"
      className="switch"
      role="switch"
      aria-checked={props.isOn}
      aria-label={props.name}
      title={props.name}
      onClick={() => props.onChange(!props.isOn)}
    />
  )
}
