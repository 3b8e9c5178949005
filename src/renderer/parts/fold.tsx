import { useState } from 'react'
import type { JSX, ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** Fields that most people do not need, behind a line that unfolds them. */
export function Fold(props: { title: string; isUnfolded?: boolean; children: ReactNode }): JSX.Element {
  const [isUnfolded, setIsUnfolded] = useState(props.isUnfolded ?? false)
  return (
    <>
      <button
        type="button"
        className="fold"
        aria-expanded={isUnfolded}
        onClick={() => setIsUnfolded(!isUnfolded)}
      >
        <Icon name={isUnfolded ? 'below' : 'right'} className="flips" />
        {props.title}
      </button>
      {isUnfolded && props.children}
    </>
  )
}
