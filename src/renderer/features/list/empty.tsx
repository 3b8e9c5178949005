/** What an empty list says: the first action, or why the filter or search shows nothing. */
import type { JSX } from 'react'
import type { ListFilter } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import type { MessageKey } from '../../i18n/catalogue.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { commands } from '../commands/commands.ts'
import { isMac, shortcutParts } from '../commands/shortcut.ts'
import type { Shortcut } from '../commands/shortcut.ts'
import { filterFacts } from '../sidebar/filters.ts'

const nothing: Readonly<Record<Exclude<ListFilter, 'all'>, { title: MessageKey; text: MessageKey }>> = {
  running: { title: 'empty.running', text: 'empty.runningText' },
  waiting: { title: 'empty.waiting', text: 'empty.waitingText' },
  paused: { title: 'empty.paused', text: 'empty.pausedText' },
  completed: { title: 'empty.completed', text: 'empty.completedText' },
  failed: { title: 'empty.failed', text: 'empty.failedText' },
}

function Keys({ shortcut }: { shortcut: Shortcut }): JSX.Element {
  return (
    <span>
      {shortcutParts(shortcut, isMac(navigator.platform)).map((part) => (
        <kbd key={part}>{part}</kbd>
      ))}
    </span>
  )
}

function FirstStart(): JSX.Element {
  const app = useApp()
  const words = useWords()
  const { shortcut: addKeys = { key: 'n', mod: true } } = commands.add
  const { shortcut: paletteKeys = { key: 'k', mod: true } } = commands.palette
  return (
    <section className="empty">
      <Icon name="down" />
      <h1>{words.t('empty.first')}</h1>
      <p>{words.t('empty.firstText')}</p>
      <div className="buttons">
        <ActionButton className="button primary" onAct={() => app.open({ kind: 'add', links: '' })}>
          <Icon name="plus" />
          {words.t('empty.addLinks')}
        </ActionButton>
      </div>
      <ul>
        <li>
          <Keys shortcut={{ key: 'v', mod: true }} />
          <span>{words.t('empty.hintPaste')}</span>
        </li>
        <li>
          <Keys shortcut={addKeys} />
          <span>{words.t('empty.hintAdd')}</span>
        </li>
        <li>
          <Keys shortcut={paletteKeys} />
          <span>{words.t('empty.hintPalette')}</span>
        </li>
      </ul>
    </section>
  )
}

export function Empty(): JSX.Element {
  const app = useApp()
  const words = useWords()
  const filter = useAppState((state) => state.view.filter)
  const search = useAppState((state) => state.view.search)
  const all = useAppState((state) => state.list.counts.all)
  if (search !== '') {
    return (
      <section className="empty">
        <Icon name="search" />
        <h1>{words.t('empty.search', { search })}</h1>
        <p>{words.t('empty.searchText')}</p>
      </section>
    )
  }
  if (filter === 'all') return <FirstStart />
  const { title, text } = nothing[filter]
  return (
    <section className="empty">
      <Icon name={filterFacts[filter].icon} />
      <h1>{words.t(title)}</h1>
      <p>{words.t(text)}</p>
      {all > 0 && (
        <div className="buttons">
          <ActionButton className="button" onAct={() => app.list.setView({ filter: 'all' })}>
            {words.t('empty.showAll')}
          </ActionButton>
        </div>
      )}
    </section>
  )
}
