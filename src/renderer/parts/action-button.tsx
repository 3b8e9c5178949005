/**
 * A button that may be off. One that is off stays reachable and says why in its tooltip; it is never removed from
 * the keyboard's path under the user's fingers.
 */
import type { ComponentProps, JSX } from 'react'

interface ActionButtonProps extends Omit<ComponentProps<'button'>, 'disabled' | 'onClick'> {
  /** why the button does nothing now; null when it works */
  readonly refusal?: string | null
  readonly onAct: () => void
}

export function ActionButton({ refusal = null, onAct, title, ...rest }: ActionButtonProps): JSX.Element {
  const isOff = refusal !== null
  return (
    <button
      type="button"
      {...rest}
      {...(isOff ? { 'aria-disabled': true, title: refusal } : title === undefined ? {} : { title })}
      onClick={(event) => {
        event.stopPropagation()
        if (!isOff) onAct()
      }}
    />
  )
}
