/** The whole window: sidebar, toolbar, list and details, or the settings; above them at most one layer, and the toasts. */
import type { JSX } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Brand } from '../../parts/brand.tsx'
import { Details } from '../details/details.tsx'
import { ListPane } from '../list/list-pane.tsx'
import { Announcer } from '../notices/announcer.tsx'
import { ConnectionLine } from '../notices/connection-line.tsx'
import { Toasts } from '../notices/toasts.tsx'
import { Sidebar } from '../sidebar/sidebar.tsx'
import { SettingsScreen } from '../settings/settings-screen.tsx'
import { SignIn } from '../sign-in/sign-in.tsx'
import { Toolbar } from '../toolbar/toolbar.tsx'
import { Layers } from './layers.tsx'
import { useGlobalKeys } from './use-global-keys.ts'
import { useIncomingLinks } from './use-incoming-links.ts'
import { useLook } from './use-look.ts'

function ListScreen(): JSX.Element {
  return (
    <>
      <Sidebar />
      <Toolbar />
      <ListPane />
      <Details />
    </>
  )
}

export function Window(): JSX.Element {
  const app = useApp()
  const words = useWords()
  const connection = useAppState((state) => state.connection)
  const screen = useAppState((state) => state.screen)
  useLook()
  useGlobalKeys(app)
  useIncomingLinks(app)
  if (connection.kind === 'signed-out') return <SignIn error={connection.error} />
  return (
    <>
      <div className="window">
        <header className="brand">
          <Brand />
          <span>{words.t('app.name')}</span>
        </header>
        {screen === 'list' ? <ListScreen /> : <SettingsScreen />}
        <ConnectionLine />
      </div>
      <Layers />
      <Toasts />
      <Announcer />
    </>
  )
}
