import type { JSX } from 'react'

/** The sign of the app: a gate that lets the flow through. */
export function Brand(): JSX.Element {
  return (
    <svg className="brand-sign" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <rect className="plate" width="20" height="20" rx="5" />
      <path className="gate" d="M5.5 4.5v11M14.5 4.5v11M5.5 7.25h9M10 7.25v5.5M7.75 10.75 10 13l2.25-2.25" />
    </svg>
  )
}
