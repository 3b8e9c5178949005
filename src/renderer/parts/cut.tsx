import type { JSX } from 'react'

/** A text on one line, cut at the end when there is no room; the tooltip has all of it. */
export function Cut({ text, className }: { text: string; className?: string }): JSX.Element {
  return (
    <span className={className === undefined ? 'cut' : `${className} cut`} title={text}>
      {text}
    </span>
  )
}
