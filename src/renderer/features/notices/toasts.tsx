/** Short messages at the foot of the window. An undoable removal counts down; others leave by themselves. */
import { useEffect } from 'react'
import type { JSX } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Marked } from '../../parts/marked.tsx'
import { useNow } from '../../parts/use-now.ts'
import { errorHelp, errorSentence } from '../../rows/error-words.ts'
import type { Toast } from '../../store/app-state.ts'

/** How long a toast stands: longer when there is something to read and do. */
const plainTimeMs = 5000
const failedTimeMs = 12_000

function UndoButton({ toast, until }: { toast: Toast; until: number }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const now = useNow(true)
  const seconds = Math.max(0, Math.ceil((until - now) / 1000))
  return (
    <button type="button" className="button small" onClick={() => void app.operations.undo(toast.id)}>
      {words.t('toast.undo')}{' '}
      <span className="softer num" aria-hidden="true">
        {words.t('figure.seconds', { n: Math.min(seconds, 8) })}
      </span>
    </button>
  )
}

function ToastCard({ toast }: { toast: Toast }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const { id, undo, tone, error } = toast
  useEffect(() => {
    const time = undo === null ? (tone === 'failed' ? failedTimeMs : plainTimeMs) : undo.until - Date.now()
    const timer = setTimeout(() => app.messages.dismiss(id), time)
    return () => clearTimeout(timer)
  }, [app, id, tone, undo])
  return (
    <div className={`toast ${tone}`}>
      {tone !== 'plain' && <Icon name={tone === 'failed' ? 'alert' : 'done'} />}
      <span className="toast-text">
        <Marked text={words.marked(toast.message.key, toast.message.values)} />
        {error !== null && (
          <>
            {' '}
            <Marked text={errorSentence(words, error)} /> <Marked text={errorHelp(words, error)} />
          </>
        )}
      </span>
      {undo !== null && <UndoButton toast={toast} until={undo.until} />}
      <button
        type="button"
        className="icon-button small"
        aria-label={words.t('toast.dismiss')}
        title={words.t('toast.dismiss')}
        onClick={() => app.messages.dismiss(id)}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}

export function Toasts(): JSX.Element {
  const words = useWords()
  const toasts = useAppState((state) => state.toasts)
  return (
    <section className="toasts" aria-label={words.t('toast.region')} aria-live="polite">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  )
}
