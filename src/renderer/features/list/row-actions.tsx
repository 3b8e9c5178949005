/** The small buttons of a row, on hover and on the row that the keyboard is on: over the chip, never over the size. */
import type { JSX, MouseEvent } from 'react'
import type { TaskRow } from '../../../shared/view.ts'
import { useApp } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { canPause, canRestart } from '../../rows/abilities.ts'
import { commands, situationOfRow } from '../commands/commands.ts'
import type { CommandId } from '../commands/commands.ts'
import { useCommand } from '../commands/use-situation.ts'
import { openMenuAt } from './open-menu-at.ts'
import { useRowTabIndex } from './use-row-tab-index.ts'

export function RowActions({ row }: { row: TaskRow }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const tabIndex = useRowTabIndex(row.id)
  const say = useCommand()
  const situation = situationOfRow(app.store.getState(), row)
  // what can be restarted shows that; everything else shows pause, off when it is over
  const first: CommandId = canRestart(row) || !canPause(row) ? 'restart' : 'pause'
  const shown: CommandId[] = [first, 'show-in-folder', 'open']
  const openMenu = (event: MouseEvent<HTMLElement>): void => {
    event.stopPropagation()
    openMenuAt(event.currentTarget)
  }
  return (
    <div className="actions" role="gridcell">
      {shown.map((id) => {
        const command = say(id, situation)
        if (command.isAbsent) return null
        return (
          <ActionButton
            // pause and resume are one button: the focus stays when it changes
            key={id === first ? 'first' : id}
            className="icon-button"
            tabIndex={tabIndex}
            aria-label={words.t('row.actionOf', { action: command.label, title: row.title })}
            title={command.label}
            refusal={command.refusal}
            onAct={command.act}
          >
            <Icon name={commands[id].icon} />
          </ActionButton>
        )
      })}
      <button
        type="button"
        className="icon-button"
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-label={words.t('row.actionOf', { action: words.t('toolbar.more'), title: row.title })}
        title={words.t('toolbar.more')}
        onClick={openMenu}
      >
        <Icon name="more" />
      </button>
    </div>
  )
}
