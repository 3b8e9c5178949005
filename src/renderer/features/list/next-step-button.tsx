import type { JSX } from 'react'
import type { TaskRow } from '../../../shared/view.ts'
import { useApp } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import type { NextStep } from '../../rows/next-step.ts'
import type { App } from '../../store/app.ts'
import { useRowTabIndex } from './use-row-tab-index.ts'

/** Does the next step, or opens the layer that asks for what it needs. */
export function takeNextStep(app: App, row: TaskRow, step: NextStep): void {
  const { id } = row
  const targets = [{ ids: [id] }]
  switch (step.kind) {
    case 'free-space':
      app.open({ kind: 'storage', id })
      return
    case 'edit-link':
      app.open({ kind: 'edit', id, focus: 'link' })
      return
    case 'edit':
      app.open({ kind: 'edit', id, focus: 'all' })
      return
    case 'review':
      app.open({ kind: 'review', id })
      return
    case 'resume':
    case 'retry':
      void app.operations.run('tasks.restart', targets)
      return
    case 'redownload':
      void app.operations.run('tasks.redownload', targets)
  }
}

/** The one button of a row. Its name also holds the title, so that a list of buttons can be told apart. */
export function NextStepButton({ row, step }: { row: TaskRow; step: NextStep }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const tabIndex = useRowTabIndex(row.id)
  const label = words.t(step.label)
  return (
    <ActionButton
      className="button small act"
      tabIndex={tabIndex}
      aria-label={words.t('row.actionOf', { action: label, title: row.title })}
      onAct={() => takeNextStep(app, row, step)}
    >
      {label}
    </ActionButton>
  )
}
