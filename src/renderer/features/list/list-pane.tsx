/** The middle of the window: the list with its context menu, or what to do when there is nothing in it; the strip below. */
import { ContextMenu } from '@base-ui/react/context-menu'
import { useRef } from 'react'
import type { JSX } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useAppState } from '../../app-context.tsx'
import { speed } from '../../i18n/format.ts'
import { plain } from '../../i18n/figures.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Cut } from '../../parts/cut.tsx'
import type { AppState } from '../../store/app-state.ts'
import { selectedCount } from '../../store/selection.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { selectedRows } from '../commands/commands.ts'
import { useSituation } from '../commands/use-situation.ts'
import { Concurrency, LimitButton } from '../sidebar/gauges.tsx'
import { Empty } from './empty.tsx'
import { listElementId } from './focus-list.ts'
import { List } from './list.tsx'

function RowMenu(): JSX.Element {
  const situation = useSituation()
  return (
    <CommandMenu
      situation={situation}
      groups={[
        ['pause', 'restart', 'start-now', 'to-front', 'to-tail'],
        ['open', 'show-in-folder', 'copy-link'],
        ['edit', 'redownload', 'retry-as-new', 'retry-skipped', 'cancel'],
        ['remove', 'delete-files'],
      ]}
    />
  )
}

/** How many are selected, and how large they are together; no size unless every one of them is here to be counted. */
function selectionSum(state: AppState): { count: number; size: number | null } {
  const rows = selectedRows(state)
  const count = selectedCount(state.cursor.selection, state.list.total)
  const size = rows.reduce((sum, row) => sum + (row.size ?? 0), 0)
  return { count, size: rows.length === count && size > 0 ? size : null }
}

function Strip(): JSX.Element {
  const words = useWords()
  const total = useAppState((state) => state.list.total)
  const { count, size } = useAppState(useShallow(selectionSum))
  const bytesPerSecond = useAppState((state) => state.bytesPerSecond)
  const tasks = total === 0 ? words.t('strip.none') : words.t('strip.tasks', { count: total })
  const selected =
    size === null
      ? words.t('strip.selected', { count })
      : words.t('strip.selectedSize', { count, size: words.format.size(size) })
  return (
    <div className="strip">
      <b className="num only-narrow">
        <bdi>{plain(speed(words, bytesPerSecond))}</bdi>
      </b>
      <Cut text={count === 0 ? tasks : words.t('strip.both', { tasks, selected })} />
      <span className="only-narrow end">
        <LimitButton />
      </span>
      <span className="only-narrow">
        <Concurrency />
      </span>
    </div>
  )
}

export function ListPane(): JSX.Element {
  const words = useWords()
  const pane = useRef<HTMLElement>(null)
  const isEmpty = useAppState((state) => state.list.isKnown && state.list.total === 0)
  return (
    <main ref={pane} className="list-pane">
      {!isEmpty && <h1 className="hidden">{words.t('list.name')}</h1>}
      {isEmpty ? (
        <Empty />
      ) : (
        <ContextMenu.Root>
          <ContextMenu.Trigger className="list-frame">
            <List />
          </ContextMenu.Trigger>
          <ContextMenu.Portal container={pane}>
            <ContextMenu.Positioner className="floating" collisionPadding={8}>
              <ContextMenu.Popup className="menu" finalFocus={() => document.getElementById(listElementId)}>
                <RowMenu />
              </ContextMenu.Popup>
            </ContextMenu.Positioner>
          </ContextMenu.Portal>
        </ContextMenu.Root>
      )}
      <Strip />
    </main>
  )
}
