/** Menus: a button that opens one, and the items of commands. */
import { Menu } from '@base-ui/react/menu'
import { useRef } from 'react'
import type { JSX, ReactNode } from 'react'
import type { SaidCommand } from '../features/commands/use-situation.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

export function MenuButton(props: {
  className: string
  name?: string
  button: ReactNode
  children: ReactNode
}): JSX.Element {
  const name = props.name === undefined ? {} : { 'aria-label': props.name, title: props.name }
  // the menu stands in the landmark of its button, not at the end of the page
  const place = useRef<HTMLSpanElement>(null)
  return (
    <Menu.Root>
      <Menu.Trigger className={props.className} {...name}>
        {props.button}
      </Menu.Trigger>
      <span ref={place} className="menu-place" />
      <Menu.Portal container={place}>
        <Menu.Positioner className="floating" sideOffset={4} align="end" collisionPadding={8}>
          <Menu.Popup className="menu">{props.children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

export function MenuLine(): JSX.Element {
  return <Menu.Separator className="menu-line" />
}

/** A command in a menu. One that is off stays readable and says why. */
export function CommandItem({ command, icon }: { command: SaidCommand; icon: IconName }): JSX.Element | null {
  if (command.isAbsent) return null
  return (
    <Menu.Item
      className="menu-item"
      disabled={command.refusal !== null}
      {...(command.refusal === null ? {} : { title: command.refusal })}
      {...(command.ariaKeys === undefined ? {} : { 'aria-keyshortcuts': command.ariaKeys })}
      onClick={command.act}
    >
      <Icon name={icon} />
      <span className="menu-label">{command.label}</span>
      {command.keys.length > 0 && (
        <span className="keys" aria-hidden="true">
          {command.keys.join(' ')}
        </span>
      )}
    </Menu.Item>
  )
}

/** One of several choices, the present one ticked. */
export function ChoiceItem(props: { value: string; children: ReactNode }): JSX.Element {
  return (
    <Menu.RadioItem className="menu-item" value={props.value} closeOnClick>
      <span className="tick">
        <Menu.RadioItemIndicator>
          <Icon name="check" />
        </Menu.RadioItemIndicator>
      </span>
      <span className="menu-label">{props.children}</span>
    </Menu.RadioItem>
  )
}

export const MenuChoices = Menu.RadioGroup
