/** Search in titles and hosts. The list follows a moment after the last key; Escape clears, then leaves. */
import { useEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { isMac, shortcutParts } from '../commands/shortcut.ts'
import { commands } from '../commands/commands.ts'
import { focusList } from '../list/focus-list.ts'

const settleMs = 150
/** Longest search (shared/view). */
const maxSearchLength = 200

export function SearchField(): JSX.Element {
  const app = useApp()
  const words = useWords()
  const isOpen = useAppState((state) => state.isSearchOpen)
  const search = useAppState((state) => state.view.search)
  const [text, setText] = useState(search)
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    if (!isOpen) return
    field.current?.focus()
    field.current?.select()
  }, [isOpen])
  useEffect(() => {
    if (text === app.store.getState().view.search) return
    const timer = setTimeout(() => app.list.setView({ search: text }), settleMs)
    return () => clearTimeout(timer)
  }, [app, text])

  const { shortcut } = commands.search
  return (
    <div className="with-icon search" role="search">
      <Icon name="search" />
      <input
        ref={field}
        className="input"
        type="text"
        maxLength={maxSearchLength}
        spellCheck={false}
        aria-label={words.t('command.search')}
        placeholder={words.t('command.search')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => app.store.setState({ isSearchOpen: false })}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text !== '') setText('')
          else if (event.key === 'Escape' || event.key === 'ArrowDown' || event.key === 'Enter') focusList()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {shortcut !== undefined && text === '' && (
        <kbd aria-hidden="true">{shortcutParts(shortcut, isMac(navigator.platform)).join(' ')}</kbd>
      )}
    </div>
  )
}
