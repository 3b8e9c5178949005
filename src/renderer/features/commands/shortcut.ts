/** Keys of commands: matching them, and naming them the way the platform does. */

export interface Shortcut {
  /** `KeyboardEvent.key`, letters in lower case */
  readonly key: string
  /** Ctrl, or ⌘ on a Mac */
  readonly mod?: boolean
  readonly shift?: boolean
}

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

export const isMac = (platform: string): boolean => /^(darwin|mac)/i.test(platform)

export function matches(shortcut: Shortcut, event: Keys, onMac: boolean): boolean {
  const mod = onMac ? event.metaKey : event.ctrlKey
  const other = onMac ? event.ctrlKey : event.metaKey
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  return (
    key === shortcut.key &&
    mod === (shortcut.mod ?? false) &&
    event.shiftKey === (shortcut.shift ?? false) &&
    !other &&
    !event.altKey
  )
}

const keyNames: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  Delete: 'Del',
  ' ': 'Space',
}
const macKeyNames: Readonly<Record<string, string>> = { Delete: '⌫' }

/** The keys as they are printed beside a command: "Ctrl Shift P", "⇧⌘P". */
export function shortcutParts(shortcut: Shortcut, onMac: boolean): string[] {
  const named = (onMac ? macKeyNames[shortcut.key] : undefined) ?? keyNames[shortcut.key]
  const key = named ?? (shortcut.key.length === 1 ? shortcut.key.toUpperCase() : shortcut.key)
  if (onMac) return [...(shortcut.shift === true ? ['⇧'] : []), ...(shortcut.mod === true ? ['⌘'] : []), key]
  return [...(shortcut.mod === true ? ['Ctrl'] : []), ...(shortcut.shift === true ? ['Shift'] : []), key]
}

/** The same for `aria-keyshortcuts`. */
export function ariaKeyShortcut(shortcut: Shortcut, onMac: boolean): string {
  const key =
    shortcut.key === ' ' ? 'Space' : shortcut.key.length === 1 ? shortcut.key.toUpperCase() : shortcut.key
  const mod = onMac ? 'Meta' : 'Control'
  return [...(shortcut.mod === true ? [mod] : []), ...(shortcut.shift === true ? ['Shift'] : []), key].join(
    '+',
  )
}
