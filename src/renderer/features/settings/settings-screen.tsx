/** The settings, in place of the list: pages at the side, a search over all of them. Everything applies at once. */
import { useEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import type { Settings } from '../../../shared/settings.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import type { Words } from '../../i18n/words.ts'
import { Cut } from '../../parts/cut.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SelectBox } from '../../parts/select-box.tsx'
import { fits } from '../commands/palette.tsx'
import { focusList } from '../list/focus-list.ts'
import { SettingLine } from './setting-line.tsx'
import { pageFacts, settingGroups, settingPages, whyOf } from './settings-table.ts'
import type { SettingEntry, SettingGroup, SettingPage } from './settings-table.ts'

/** Programs on the host's disk are chosen at the host itself, and so is who else may talk to it. */
const atHome: readonly (keyof Settings)[] = [
  'ffmpegPath',
  'certificateFile',
  'localApi',
  'localApiPort',
  'allowedOrigin',
]
const onlyAtHome = (entry: SettingEntry): boolean => atHome.includes(entry.key)

function useGroups(page: SettingPage, query: string): readonly SettingGroup[] {
  const words = useWords()
  const isDesktop = useAppState((state) => state.info?.host === 'electron')
  const groups = query === '' ? settingGroups[page] : settingPages.flatMap((each) => settingGroups[each])
  return groups
    .map((group) => ({
      ...group,
      entries: group.entries.filter(
        (entry) => (isDesktop || !onlyAtHome(entry)) && (query === '' || isFound(words, entry, query)),
      ),
    }))
    .filter((group) => group.entries.length > 0)
}

function isFound(words: Words, entry: SettingEntry, query: string): boolean {
  return fits(`${words.t(entry.name)} ${words.t(whyOf(entry))}`, query)
}

function Groups(props: { groups: readonly SettingGroup[]; settings: Settings }): JSX.Element {
  const words = useWords()
  return (
    <>
      {props.groups.map((group) => (
        <section key={group.title} aria-label={words.t(group.title)}>
          <h2>{words.t(group.title)}</h2>
          <div className="group">
            {group.entries.map((entry) => (
              <SettingLine key={entry.key} entry={entry} settings={props.settings} />
            ))}
          </div>
        </section>
      ))}
      {props.groups.length === 0 && <p className="soft none-found">{words.t('settings.noneFound')}</p>}
    </>
  )
}

function PagesNav(props: { page: SettingPage; onChoose: (page: SettingPage) => void }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const version = useAppState((state) => state.info?.version)
  return (
    <aside className="sidebar" aria-label={words.t('sidebar.name')}>
      <nav aria-label={words.t('settings.title')}>
        <button type="button" className="nav-item" onClick={() => app.store.setState({ screen: 'list' })}>
          <Icon name="back" className="flips" />
          <Cut text={words.t('settings.back')} />
        </button>
        <h2>{words.t('settings.title')}</h2>
        {settingPages.map((each) => (
          <button
            key={each}
            type="button"
            className="nav-item"
            aria-current={each === props.page ? 'page' : undefined}
            onClick={() => props.onChoose(each)}
          >
            <Icon name={pageFacts[each].icon} />
            <Cut text={words.t(pageFacts[each].label)} />
          </button>
        ))}
      </nav>
      <div className="foot">
        <span className="small softer">
          {words.t('settings.atOnceHint')}
          <br />
          {version !== undefined && words.t('settings.version', { version })}
        </span>
      </div>
    </aside>
  )
}

function SettingsToolbar(props: {
  page: SettingPage
  query: string
  onChoose: (page: SettingPage) => void
  onSearch: (query: string) => void
}): JSX.Element {
  const app = useApp()
  const words = useWords()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    field.current?.focus()
    // the list is there again when this is gone
    return focusList
  }, [])
  return (
    <div className="toolbar" role="group" aria-label={words.t('settings.title')}>
      <button
        type="button"
        className="icon-button only-narrow"
        aria-label={words.t('settings.back')}
        title={words.t('settings.back')}
        onClick={() => app.store.setState({ screen: 'list' })}
      >
        <Icon name="back" className="flips" />
      </button>
      <span className="only-narrow page-choice">
        <SelectBox
          name={words.t('settings.page')}
          value={props.page}
          options={settingPages.map((each) => ({ value: each, label: words.t(pageFacts[each].label) }))}
          onChange={props.onChoose}
        />
      </span>
      <div className="with-icon settings-search" role="search">
        <Icon name="search" />
        <input
          ref={field}
          className="input"
          aria-label={words.t('settings.search')}
          placeholder={words.t('settings.search')}
          spellCheck={false}
          value={props.query}
          onChange={(event) => props.onSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.preventDefault()
            if (props.query === '') app.store.setState({ screen: 'list' })
            else props.onSearch('')
          }}
        />
      </div>
    </div>
  )
}

export function SettingsScreen(): JSX.Element {
  const words = useWords()
  const settings = useAppState((state) => state.settings)
  const [page, setPage] = useState<SettingPage>('general')
  const [query, setQuery] = useState('')
  const groups = useGroups(page, query.trim())
  const choose = (chosen: SettingPage): void => {
    setPage(chosen)
    setQuery('')
  }
  return (
    <>
      <PagesNav page={page} onChoose={choose} />
      <main className="settings">
        <SettingsToolbar page={page} query={query} onChoose={choose} onSearch={setQuery} />
        <div className="scroll" tabIndex={-1}>
          <div className="page">
            <h1>{words.t(query.trim() === '' ? pageFacts[page].label : 'settings.found')}</h1>
            {settings !== null && <Groups groups={groups} settings={settings} />}
          </div>
        </div>
      </main>
    </>
  )
}
