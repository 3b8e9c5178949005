import type { JSX } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'

/** Says that the host does not answer. What is shown is the last that was known. */
export function ConnectionLine(): JSX.Element | null {
  const app = useApp()
  const words = useWords()
  const isLost = useAppState((state) => state.connection.kind === 'lost')
  if (!isLost) return null
  return (
    <div className="connection-line" role="alert">
      <Icon name="offline" />
      <span>{words.t('connection.lost')}</span>
      <button type="button" className="button small" onClick={() => app.reconnect()}>
        {words.t('connection.retry')}
      </button>
    </div>
  )
}
