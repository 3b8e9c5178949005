/** Asks once before files are deleted: how many, how large. The safe button has the focus. */
import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useRef } from 'react'
import type { JSX } from 'react'
import type { Target } from '../../../shared/contract/commands.ts'
import type { TaskRow } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Marked } from '../../parts/marked.tsx'

export function DeleteFilesDialog(props: {
  targets: readonly Target[]
  rows: readonly TaskRow[]
}): JSX.Element {
  const app = useApp()
  const words = useWords()
  const total = useAppState((state) => state.list.total)
  const safe = useRef<HTMLButtonElement>(null)
  const { targets, rows } = props
  const tasks = targets.reduce((sum, target) => sum + ('ids' in target ? target.ids.length : total), 0)
  // counted only when every task is known
  const isKnown = rows.length === tasks
  const files = rows.reduce((sum, row) => sum + row.outputs.length, 0)
  const size = rows.filter((row) => row.outputs.length > 0).reduce((sum, row) => sum + (row.size ?? 0), 0)
  const isCounted = isKnown && files > 0
  const title = isCounted
    ? words.t('delete.titleFiles', { count: files })
    : words.t('delete.titleTasks', { count: tasks })
  const text = isCounted
    ? words.marked('delete.textFiles', { count: files, size: words.format.size(size) })
    : words.marked(isKnown ? 'delete.textNone' : 'delete.textTasks')
  const deed = isCounted
    ? words.t('delete.deedFiles', { count: files })
    : words.t('delete.deedTasks', { count: tasks })
  const remove = (): void => {
    app.closeLayer()
    void app.operations.remove(targets, true)
  }
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && app.closeLayer()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim" />
        <AlertDialog.Viewport className="layer">
          <AlertDialog.Popup className="dialog small-dialog" initialFocus={safe}>
            <div className="question">
              <AlertDialog.Title>{title}</AlertDialog.Title>
              <AlertDialog.Description className="soft">
                <Marked text={text} />
              </AlertDialog.Description>
            </div>
            <footer>
              <span className="grow" />
              <AlertDialog.Close className="button" ref={safe}>
                {words.t('layer.cancel')}
              </AlertDialog.Close>
              <button type="button" className="button danger" onClick={remove}>
                {deed}
              </button>
            </footer>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
