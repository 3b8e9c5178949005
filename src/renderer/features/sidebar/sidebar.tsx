/** The left side: which tasks are shown, the total speed, and the two brakes (tasks at once, speed limit). */
import type { JSX } from 'react'
import type { ListFilter } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Cut } from '../../parts/cut.tsx'
import { Icon } from '../../parts/icon.tsx'
import { filterFacts } from './filters.ts'
import { Concurrency, LimitSwitch, TotalSpeed } from './gauges.tsx'

function Filter({ filter }: { filter: ListFilter }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const isCurrent = useAppState((state) => state.view.filter === filter && state.screen === 'list')
  const count = useAppState((state) => state.list.counts[filter])
  const { icon, label } = filterFacts[filter]
  return (
    <button
      type="button"
      className="nav-item"
      aria-current={isCurrent ? 'true' : undefined}
      onClick={() => {
        app.store.setState({ screen: 'list' })
        app.list.setView({ filter })
      }}
    >
      <Icon name={icon} />
      <Cut text={words.t(label)} /> <span className="count">{words.format.number(count)}</span>
    </button>
  )
}

export function Sidebar(): JSX.Element {
  const app = useApp()
  const words = useWords()
  return (
    <aside className="sidebar" aria-label={words.t('sidebar.name')}>
      <nav aria-label={words.t('sidebar.filters')}>
        {Object.keys(filterFacts).map((filter) => (
          // the keys of `filterFacts` are the filters, by its type
          <Filter key={filter} filter={filter as ListFilter} />
        ))}
      </nav>
      <div className="foot">
        <TotalSpeed />
        <Concurrency />
        <div className="line">
          <Icon name="turtle" />
          <LimitSwitch />
        </div>
        <button
          type="button"
          className="line plain-line"
          onClick={() => app.store.setState({ screen: 'settings' })}
        >
          <Icon name="sliders" />
          <Cut text={words.t('command.settings')} />
        </button>
      </div>
    </aside>
  )
}
