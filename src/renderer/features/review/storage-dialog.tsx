/** What to do about a full or missing disk. The app cannot free space; it says where, and goes on when there is room. */
import type { JSX } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { DialogLayer } from '../../parts/layer.tsx'
import { Marked } from '../../parts/marked.tsx'
import { errorSentence } from '../../rows/error-words.ts'

export function StorageDialog({ id }: { id: string }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const row = useAppState((state) => state.list.rows.get(id))
  const canShow = useAppState((state) => state.info?.capabilities.includes('desktop.showInFolder') ?? false)
  const pause = row?.pause?.kind === 'storage' ? row.pause : null
  const tryNow = (): void => {
    void app.operations.run('tasks.restart', [{ ids: [id] }])
    app.closeLayer()
  }
  return (
    <DialogLayer
      className="small-dialog"
      title={words.t('storage.title')}
      {...(row === undefined ? {} : { note: row.title })}
      onClose={() => app.closeLayer()}
    >
      <div className="body">
        {pause === null ? (
          <p>{words.t('storage.solved')}</p>
        ) : (
          <div className="note attention">
            <Icon name="disk" />
            <h3>
              <Marked text={errorSentence(words, pause.error)} />
            </h3>
            <p>
              {words.t('storage.folder')} <bdi>{pause.folder}</bdi>
            </p>
            <p>{words.t(pause.resumesByItself ? 'storage.byItself' : 'storage.byHand')}</p>
          </div>
        )}
      </div>
      <footer>
        <span className="grow" />
        {canShow && (
          <button type="button" className="button" onClick={() => void app.operations.showInFolder(id)}>
            {words.t('command.showInFolder')}
          </button>
        )}
        <button type="button" className="button" onClick={() => app.open({ kind: 'edit', id, focus: 'all' })}>
          {words.t('storage.otherFolder')}
        </button>
        <button type="button" className="button primary" onClick={tryNow}>
          {words.t('storage.tryNow')}
        </button>
      </footer>
    </DialogLayer>
  )
}
