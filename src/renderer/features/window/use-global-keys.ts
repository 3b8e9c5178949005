/** Keys that work wherever the focus is, unless a layer is open or a field needs them for itself. */
import { useEffect } from 'react'
import type { App } from '../../store/app.ts'
import { commands, situationOf } from '../commands/commands.ts'
import { isMac, matches } from '../commands/shortcut.ts'
import { focusList } from '../list/focus-list.ts'
import { filterFacts } from '../sidebar/filters.ts'
import type { ListFilter } from '../../../shared/view.ts'

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
}

/** Keys that fields use themselves: select all, copy, delete, the queue's arrows. */
const fieldKeys: ReadonlySet<string> = new Set(['a', 'c', 'z', 'Delete', 'ArrowUp', 'ArrowDown'])

export function useGlobalKeys(app: App): void {
  useEffect(() => {
    const onMac = isMac(navigator.platform)
    const onKeyDown = (event: KeyboardEvent): void => {
      const state = app.store.getState()
      if (event.defaultPrevented || state.layer !== null || state.connection.kind === 'signed-out') return
      if (isField(event.target) && fieldKeys.has(event.key)) return
      if (takeFilterKey(app, event, onMac) || takeUndoKey(app, event, onMac)) {
        event.preventDefault()
        return
      }
      if (event.target === document.body && /^(Arrow|Home$|End$|Page)/.test(event.key)) focusList()
      const situation = situationOf(state)
      for (const command of Object.values(commands)) {
        if (command.shortcut === undefined || !matches(command.shortcut, event, onMac)) continue
        event.preventDefault()
        if (command.isAbsent?.(situation) !== true && command.refusal(situation) === null) {
          command.run(app, situation)
        }
        return
      }
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [app])
}

/** Ctrl 1 … 6: the filters of the sidebar. */
function takeFilterKey(app: App, event: KeyboardEvent, onMac: boolean): boolean {
  // the keys of `filterFacts` are the filters, by its type
  const filters = Object.keys(filterFacts) as ListFilter[]
  const index = filters.findIndex((_, place) => matches({ key: String(place + 1), mod: true }, event, onMac))
  const filter = filters[index]
  if (filter === undefined) return false
  app.store.setState({ screen: 'list' })
  app.list.setView({ filter })
  return true
}

/** Ctrl Z: takes back the last removal while that is still possible. */
function takeUndoKey(app: App, event: KeyboardEvent, onMac: boolean): boolean {
  if (!matches({ key: 'z', mod: true }, event, onMac)) return false
  if (!app.operations.canUndo()) return false
  void app.operations.undoLast()
  return true
}
