/** A marked sentence: each of its figures stands in a `bdi`. */
import { Fragment } from 'react'
import type { JSX } from 'react'
import { spans } from '../i18n/figures.ts'

export function Marked({ text }: { text: string }): JSX.Element {
  return (
    <>
      {spans(text).map((span, index) =>
        // the spans of a sentence keep their order: their place is their identity
        span.isFigure ? <bdi key={index}>{span.text}</bdi> : <Fragment key={index}>{span.text}</Fragment>,
      )}
    </>
  )
}
