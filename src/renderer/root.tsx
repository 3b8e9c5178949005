import { DirectionProvider } from '@base-ui/react/direction-provider'
import type { JSX } from 'react'
import { useAppState } from './app-context.tsx'
import { Window } from './features/window/window.tsx'
import { WordsProvider, useWords } from './i18n/words-context.tsx'

function Directed(): JSX.Element {
  return (
    <DirectionProvider direction={useWords().direction}>
      <Window />
    </DirectionProvider>
  )
}

/** The window in its language. Settings decide it; until they are here, the system does. */
export function Root(): JSX.Element {
  const setting = useAppState((state) => state.settings?.language ?? 'system')
  return (
    <WordsProvider setting={setting}>
      <Directed />
    </WordsProvider>
  )
}
