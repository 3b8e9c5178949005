/** The entry of the window: finds its host, makes its one `App`, and draws it. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { I18nextProvider } from 'react-i18next'
import { AppContext } from './app-context.tsx'
import { findHost } from './client/host.ts'
import { createI18n } from './i18n/languages.ts'
import { Root } from './root.tsx'
import { createApp } from './store/app.ts'
import { memoryStorage } from './store/memory-storage.ts'
import './styles/index.css'

/** A browser may forbid pages to keep anything: even looking at the storage throws then. */
function usableStorage(): Storage {
  try {
    return window.localStorage
  } catch {
    return memoryStorage()
  }
}

const element = document.getElementById('root')
if (element === null) throw new Error('index.html has no #root')
const app = createApp({ host: findHost(window), storage: usableStorage(), now: Date.now })
createRoot(element).render(
  <StrictMode>
    <I18nextProvider i18n={createI18n()}>
      <AppContext value={app}>
        <Root />
      </AppContext>
    </I18nextProvider>
  </StrictMode>,
)
