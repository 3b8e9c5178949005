/** Every command by name. The keyboard stays in the field and names its line by `aria-activedescendant`. */
import { Dialog } from '@base-ui/react/dialog'
import { useId, useRef, useState } from 'react'
import type { JSX, KeyboardEvent } from 'react'
import type { ListFilter } from '../../../shared/view.ts'
import { useApp } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { IconName } from '../../parts/icon.tsx'
import { filterFacts } from '../sidebar/filters.ts'
import { commands } from './commands.ts'
import type { CommandId } from './commands.ts'
import { isMac, shortcutParts } from './shortcut.ts'
import { useCommand, useSituation } from './use-situation.ts'

interface Line {
  readonly id: string
  readonly label: string
  readonly icon: IconName
  readonly keys: readonly string[]
  readonly refusal: string | null
  readonly act: () => void
}

/** Words of the query in any order, each the beginning of a word of the label or a part of it. */
export function fits(label: string, query: string): boolean {
  const text = label.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function useLines(): Line[] {
  const app = useApp()
  const words = useWords()
  const situation = useSituation()
  const say = useCommand()
  // the keys of the tables are their ids, by their types
  const ids = (Object.keys(commands) as CommandId[]).filter((id) => id !== 'palette')
  const filters = Object.keys(filterFacts) as ListFilter[]
  const own = ids
    .map((id) => ({ ...say(id, situation), icon: commands[id].icon }))
    .filter((line) => !line.isAbsent)
  const views = filters.map((filter, index) => ({
    id: `show-${filter}`,
    label: words.t('palette.show', { filter: words.t(filterFacts[filter].label) }),
    icon: filterFacts[filter].icon,
    keys: shortcutParts({ key: String(index + 1), mod: true }, isMac(navigator.platform)),
    refusal: null,
    act: () => {
      app.store.setState({ screen: 'list' })
      app.list.setView({ filter })
    },
  }))
  // what works now comes first; the rest stays findable, with its reason
  const lines: Line[] = [...own, ...views]
  return [...lines.filter((line) => line.refusal === null), ...lines.filter((line) => line.refusal !== null)]
}

const lineId = (listId: string, line: Line): string => `${listId}-${line.id}`

function PaletteLines(props: {
  listId: string
  lines: readonly Line[]
  current: Line | undefined
  onChoose: (line: Line) => void
}): JSX.Element {
  const words = useWords()
  const { listId, lines, current } = props
  return (
    <ul id={listId} className="menu" role="listbox" aria-label={words.t('palette.list')}>
      {lines.map((line) => (
        <li
          key={line.id}
          id={lineId(listId, line)}
          ref={(element) => {
            if (line === current) element?.scrollIntoView({ block: 'nearest' })
          }}
          className="menu-item"
          role="option"
          aria-selected={line === current}
          aria-disabled={line.refusal !== null}
          {...(line === current ? { 'data-highlighted': '' } : {})}
          {...(line.refusal === null ? {} : { 'data-disabled': '', title: line.refusal })}
          onClick={() => props.onChoose(line)}
        >
          <Icon name={line.icon} />
          <span className="menu-label">{line.label}</span>
          <span className="keys" aria-hidden="true">
            {line.keys.join(' ')}
          </span>
        </li>
      ))}
    </ul>
  )
}

export function Palette(): JSX.Element {
  const app = useApp()
  const words = useWords()
  const listId = useId()
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const [place, setPlace] = useState(0)
  const lines = useLines().filter((line) => fits(line.label, query))
  const current = lines[Math.min(place, lines.length - 1)]
  const act = (line: Line): void => {
    if (line.refusal !== null) return
    app.closeLayer()
    line.act()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && lines.length > 0) setPlace((place + step + lines.length) % lines.length)
    else if (event.key === 'Enter' && current !== undefined) act(current)
    else return
    event.preventDefault()
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && app.closeLayer()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Viewport className="layer at-top">
          <Dialog.Popup className="palette" initialFocus={field} aria-label={words.t('palette.name')}>
            <div className="ask">
              <Icon name="search" />
              <input
                ref={field}
                className="bare"
                role="combobox"
                aria-expanded="true"
                aria-controls={listId}
                aria-label={words.t('palette.name')}
                aria-autocomplete="list"
                {...(current === undefined ? {} : { 'aria-activedescendant': lineId(listId, current) })}
                placeholder={words.t('palette.name')}
                value={query}
                onChange={(event) => {
                  setQuery(event.target.value)
                  setPlace(0)
                }}
                onKeyDown={onKeyDown}
              />
            </div>
            <PaletteLines listId={listId} lines={lines} current={current} onChoose={act} />
            {lines.length === 0 && <p className="palette-none soft">{words.t('palette.none')}</p>}
          </Dialog.Popup>
        </Dialog.Viewport>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
