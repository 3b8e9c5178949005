/** A dialog: everything behind it is inert, Escape and the cross close it, focus returns to where it was. */
import { Dialog } from '@base-ui/react/dialog'
import type { JSX, ReactNode, RefObject } from 'react'
import { useWords } from '../i18n/words-context.tsx'
import { Cut } from './cut.tsx'
import { Icon } from './icon.tsx'

export interface LayerProps {
  readonly className: string
  readonly title: string
  /** beside the title, smaller */
  readonly note?: string
  readonly onClose: () => void
  /** what has the focus at the beginning */
  readonly focusFirst?: RefObject<HTMLElement | null>
  readonly children: ReactNode
}

export function DialogLayer(props: LayerProps): JSX.Element {
  const words = useWords()
  return (
    <Dialog.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Viewport className="layer">
          <Dialog.Popup
            className={`dialog ${props.className}`}
            {...(props.focusFirst === undefined ? {} : { initialFocus: props.focusFirst })}
          >
            <header>
              <Dialog.Title>{props.title}</Dialog.Title>
              {props.note !== undefined && <Cut className="small softer" text={props.note} />}
              <Dialog.Close
                className="icon-button"
                aria-label={words.t('layer.close')}
                title={words.t('layer.close')}
              >
                <Icon name="close" />
              </Dialog.Close>
            </header>
            {props.children}
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
