/** The line above the list: add, the commands of the selection, search, order, and how the list looks. */
import type { JSX } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MenuButton } from '../../parts/menu.tsx'
import { CommandMenu } from '../commands/command-menu.tsx'
import { commands } from '../commands/commands.ts'
import type { CommandId } from '../commands/commands.ts'
import { useCommand, useSituation } from '../commands/use-situation.ts'
import { FilterMenu } from './filter-menu.tsx'
import { SearchField } from './search-field.tsx'
import { SortMenu } from './sort-menu.tsx'

/** The command of the selection, or of everything when nothing is selected. Both words keep their room. */
function SelectionButton(props: { some: CommandId; all: CommandId }): JSX.Element {
  const situation = useSituation()
  const say = useCommand()
  const hasSelection = situation.rows.length > 0 || situation.isAllSelected
  const some = say(props.some, situation)
  const all = say(props.all, situation)
  const shown = hasSelection ? some : all
  return (
    <ActionButton
      className="button plain"
      aria-label={shown.label}
      title={[shown.label, ...shown.keys].join(' ')}
      refusal={shown.refusal}
      onAct={shown.act}
    >
      <Icon name={commands[props.some].icon} />
      <span className="wide swap" aria-hidden="true">
        <span className={hasSelection ? undefined : 'is-away'}>{some.label}</span>
        <span className={hasSelection ? 'is-away' : undefined}>{all.label}</span>
      </span>
    </ActionButton>
  )
}

function RemoveButton(): JSX.Element {
  const say = useCommand()
  const remove = say('remove', useSituation())
  return (
    <ActionButton
      className="button plain"
      aria-label={remove.label}
      title={[remove.label, ...remove.keys].join(' ')}
      refusal={remove.refusal}
      onAct={remove.act}
    >
      <Icon name="trash" />
      <span className="wide" aria-hidden="true">
        {remove.label}
      </span>
    </ActionButton>
  )
}

function LookButtons(): JSX.Element {
  const say = useCommand()
  const situation = useSituation()
  const isDense = situation.settings?.density === 'compact'
  const density = say('density', situation)
  const details = say('details', situation)
  return (
    <span className="wide look">
      <ActionButton
        className="icon-button"
        aria-label={density.label}
        title={density.label}
        onAct={density.act}
      >
        <Icon name={isDense ? 'all' : 'density'} />
      </ActionButton>
      <ActionButton
        className="icon-button"
        aria-label={details.label}
        title={[details.label, ...details.keys].join(' ')}
        aria-expanded={situation.areDetailsOpen}
        onAct={details.act}
      >
        <Icon name="panel" />
      </ActionButton>
    </span>
  )
}

function MoreMenu(): JSX.Element {
  const words = useWords()
  const situation = useSituation()
  return (
    <MenuButton className="icon-button" name={words.t('toolbar.more')} button={<Icon name="more" />}>
      <CommandMenu
        situation={situation}
        groups={[
          ['pause-all', 'restart-all', 'clear-finished'],
          ['select-all', 'delete-files'],
          ['details', 'density'],
          ['palette', 'settings'],
        ]}
      />
    </MenuButton>
  )
}

export function Toolbar(): JSX.Element {
  const app = useApp()
  const words = useWords()
  const isSearchOpen = useAppState((state) => state.isSearchOpen || state.view.search !== '')
  const say = useCommand()
  const add = say('add', useSituation())
  return (
    <section
      className={isSearchOpen ? 'toolbar is-searching' : 'toolbar'}
      aria-label={words.t('toolbar.name')}
    >
      <FilterMenu />
      <ActionButton
        className="button primary"
        aria-label={add.label}
        title={[add.label, ...add.keys].join(' ')}
        onAct={add.act}
      >
        <Icon name="plus" />
        <span className="wide" aria-hidden="true">
          {add.label}
        </span>
      </ActionButton>
      <span className="gap" />
      <SelectionButton some="pause" all="pause-all" />
      <SelectionButton some="restart" all="restart-all" />
      <RemoveButton />
      <SearchField />
      <SortMenu />
      <LookButtons />
      <ActionButton
        className="icon-button only-narrow search-opener"
        aria-label={words.t('command.search')}
        title={words.t('command.search')}
        onAct={() => app.store.setState({ isSearchOpen: true })}
      >
        <Icon name="search" />
      </ActionButton>
      <MoreMenu />
    </section>
  )
}
