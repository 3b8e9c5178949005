/** The panel of one task: overview, files, steps, connections. */
import { Tabs } from '@base-ui/react/tabs'
import type { JSX, KeyboardEvent } from 'react'
import type { TaskDetails, TaskRow } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import type { MessageKey } from '../../i18n/catalogue.ts'
import { plain } from '../../i18n/figures.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Chip } from '../../parts/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Marked } from '../../parts/marked.tsx'
import { errorSentence } from '../../rows/error-words.ts'
import { rowState } from '../../rows/row-state.ts'
import { detailsTabs } from '../../store/app-state.ts'
import type { DetailsTab } from '../../store/app-state.ts'
import { focusList } from '../list/focus-list.ts'
import { ConnectionsPane } from './connections-pane.tsx'
import { FilesPane } from './files-pane.tsx'
import { OverviewPane } from './overview-pane.tsx'
import { StepsPane } from './steps-pane.tsx'
import { useDetailedId, useDetails } from './use-details.ts'

const tabNames: Readonly<Record<DetailsTab, MessageKey>> = {
  overview: 'details.overview',
  files: 'details.files',
  steps: 'details.steps',
  connections: 'details.connections',
}

function Progress({ row, details }: { row: TaskRow; details: TaskDetails | null }): JSX.Element {
  const words = useWords()
  const parts: string[] = []
  if (row.size !== null && row.state !== 'COMPLETED' && row.doneBytes > 0) {
    const part = words.format.part(row.doneBytes, row.size)
    parts.push(words.marked('figure.of', { part, whole: words.format.size(row.size) }))
  } else if (row.size !== null) {
    parts.push(words.format.size(row.size))
  }
  const files = details?.files ?? []
  if (files.length > 1) {
    const chosen = files.filter((file) => file.selected).length
    parts.push(words.marked('files.selected', { chosen, count: files.length }))
  }
  return (
    <span className="cut" title={plain(parts.join(' · '))}>
      <Marked text={parts.join(' · ')} />
    </span>
  )
}

function CloseButton(): JSX.Element {
  const app = useApp()
  const words = useWords()
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={words.t('details.close')}
      title={words.t('details.close')}
      onClick={() => closeDetails(app)}
    >
      <Icon name="close" />
    </button>
  )
}

function closeDetails(app: ReturnType<typeof useApp>): void {
  app.store.setState({ areDetailsOpen: false })
  focusList()
}

function TaskPanel({ id, row }: { id: string; row: TaskRow }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const tab = useAppState((state) => state.detailsTab)
  const { details, error } = useDetails(id)
  return (
    <>
      <header>
        <div className="top">
          <h2 title={row.title}>{row.title}</h2>
          <CloseButton />
        </div>
        <div className="sub">
          <Chip state={rowState(row)} />
          <Progress row={row} details={details} />
        </div>
      </header>
      <Tabs.Root
        className="tabs-root"
        value={tab}
        onValueChange={(chosen: DetailsTab) => app.store.setState({ detailsTab: chosen })}
      >
        <Tabs.List className="tabs" activateOnFocus>
          {detailsTabs.map((each) => (
            <Tabs.Tab key={each} className="tab" value={each}>
              {words.t(tabNames[each])}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel className="pane" value={tab} key={tab} tabIndex={0}>
          {error !== null && (
            <p className="small soft">
              <Marked text={errorSentence(words, error)} />
            </p>
          )}
          {details !== null && <Pane tab={tab} row={row} details={details} />}
        </Tabs.Panel>
      </Tabs.Root>
    </>
  )
}

function Pane(props: { tab: DetailsTab; row: TaskRow; details: TaskDetails }): JSX.Element {
  const { tab, row, details } = props
  switch (tab) {
    case 'overview':
      return <OverviewPane row={row} details={details} />
    case 'files':
      return <FilesPane row={row} details={details} />
    case 'steps':
      return <StepsPane row={row} details={details} />
    case 'connections':
      return <ConnectionsPane row={row} details={details} />
  }
}

export function Details(): JSX.Element | null {
  const app = useApp()
  const words = useWords()
  const isOpen = useAppState((state) => state.areDetailsOpen)
  const id = useDetailedId()
  const row = useAppState((state) => (id === null ? undefined : state.list.rows.get(id)))
  if (!isOpen) return null
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    closeDetails(app)
  }
  return (
    <aside
      className={row === undefined ? 'details is-empty' : 'details'}
      aria-label={words.t('details.name')}
      onKeyDown={onKeyDown}
    >
      {id === null || row === undefined ? (
        <header>
          <div className="top">
            <h2 className="softer">{words.t('details.none')}</h2>
            <CloseButton />
          </div>
        </header>
      ) : (
        <TaskPanel key={id} id={id} row={row} />
      )}
    </aside>
  )
}
