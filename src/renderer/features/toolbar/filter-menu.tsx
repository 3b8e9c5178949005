/** The filters of the sidebar as a menu, for a window that is too narrow for the sidebar. */
import type { JSX } from 'react'
import type { ListFilter } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Cut } from '../../parts/cut.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ChoiceItem, MenuButton, MenuChoices } from '../../parts/menu.tsx'
import { filterFacts } from '../sidebar/filters.ts'

export function FilterMenu(): JSX.Element {
  const app = useApp()
  const words = useWords()
  const filter = useAppState((state) => state.view.filter)
  const counts = useAppState((state) => state.list.counts)
  // the keys of `filterFacts` are the filters, by its type
  const filters = Object.keys(filterFacts) as ListFilter[]
  return (
    <MenuButton
      className="button only-narrow filter-menu"
      button={
        <>
          <Cut text={words.t(filterFacts[filter].label)} />{' '}
          <span className="softer num">{words.format.number(counts[filter])}</span>
          <Icon name="below" />
        </>
      }
    >
      <MenuChoices
        value={filter}
        onValueChange={(chosen) => app.list.setView({ filter: chosen as ListFilter })}
      >
        {filters.map((each) => (
          <ChoiceItem key={each} value={each}>
            {words.t(filterFacts[each].label)}{' '}
            <span className="softer num">{words.format.number(counts[each])}</span>
          </ChoiceItem>
        ))}
      </MenuChoices>
    </MenuButton>
  )
}
