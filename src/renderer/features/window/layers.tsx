import type { JSX } from 'react'
import { useAppState } from '../../app-context.tsx'
import { AddDialog } from '../add/add-dialog.tsx'

/** The layer that is open, if any. A layer for other contents is another one: it begins anew. */
export function Layers(): JSX.Element | null {
  const layer = useAppState((state) => state.layer)
  switch (layer?.kind) {
    case 'add':
      return <AddDialog key={layer.links} links={layer.links} />
    default:
      return null
  }
}
