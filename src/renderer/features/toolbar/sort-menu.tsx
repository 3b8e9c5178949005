import type { JSX } from 'react'
import type { ListQuery } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import type { MessageKey } from '../../i18n/catalogue.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ChoiceItem, MenuButton, MenuChoices } from '../../parts/menu.tsx'

interface Order {
  readonly sort: ListQuery['sort']
  readonly order: ListQuery['order']
  readonly label: MessageKey
}

/** The orders that make sense, in one list: what to sort by and which end comes first. */
const orders: readonly Order[] = [
  { sort: 'created', order: 'desc', label: 'sort.newest' },
  { sort: 'created', order: 'asc', label: 'sort.oldest' },
  { sort: 'queue', order: 'asc', label: 'sort.queue' },
  { sort: 'title', order: 'asc', label: 'sort.title' },
  { sort: 'size', order: 'desc', label: 'sort.largest' },
  { sort: 'progress', order: 'desc', label: 'sort.progress' },
  { sort: 'state', order: 'asc', label: 'sort.state' },
  { sort: 'finished', order: 'desc', label: 'sort.finished' },
]

const valueOf = ({ sort, order }: Pick<Order, 'sort' | 'order'>): string => `${sort} ${order}`

export function SortMenu(): JSX.Element {
  const app = useApp()
  const words = useWords()
  const value = useAppState((state) => valueOf(state.view))
  const current = orders.find((order) => valueOf(order) === value)
  const label = words.t(current?.label ?? 'sort.newest')
  return (
    <MenuButton
      className="button plain wide"
      name={words.t('sort.name', { order: label })}
      button={
        <>
          <Icon name="sort" />
          <span aria-hidden="true">{label}</span>
        </>
      }
    >
      <MenuChoices
        value={value}
        onValueChange={(chosen) => {
          const order = orders.find((candidate) => valueOf(candidate) === chosen)
          if (order !== undefined) app.list.setView({ sort: order.sort, order: order.order })
        }}
      >
        {orders.map((order) => (
          <ChoiceItem key={valueOf(order)} value={valueOf(order)}>
            {words.t(order.label)}
          </ChoiceItem>
        ))}
      </MenuChoices>
    </MenuButton>
  )
}
