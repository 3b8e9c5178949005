import { useEffect } from 'react'
import { useAppState } from '../../app-context.tsx'

/** The theme and density of the settings, as attributes that the tokens look at. "System" leaves it to the media query. */
export function useLook(): void {
  const theme = useAppState((state) => state.settings?.theme ?? 'system')
  const density = useAppState((state) => state.settings?.density ?? 'comfortable')
  useEffect(() => {
    const { dataset } = document.documentElement
    if (theme === 'system') delete dataset['theme']
    else dataset['theme'] = theme
    dataset['density'] = density
  }, [theme, density])
}
