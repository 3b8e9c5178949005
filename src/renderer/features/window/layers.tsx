import type { JSX } from 'react'
import { useAppState } from '../../app-context.tsx'
import { AddDialog } from '../add/add-dialog.tsx'
import { Palette } from '../commands/palette.tsx'
import { EditDialog } from '../edit/edit-dialog.tsx'
import { DeleteFilesDialog } from '../remove/delete-files-dialog.tsx'
import { ReviewDialog } from '../review/review-dialog.tsx'
import { StorageDialog } from '../review/storage-dialog.tsx'

/** The layer that is open, if any. A layer for other contents is another one: it begins anew. */
export function Layers(): JSX.Element | null {
  const layer = useAppState((state) => state.layer)
  switch (layer?.kind) {
    case 'add':
      return <AddDialog key={layer.links} links={layer.links} />
    case 'edit':
      return <EditDialog key={layer.id} id={layer.id} focus={layer.focus} />
    case 'review':
      return <ReviewDialog key={layer.id} id={layer.id} />
    case 'storage':
      return <StorageDialog key={layer.id} id={layer.id} />
    case 'delete-files':
      return <DeleteFilesDialog targets={layer.targets} rows={layer.rows} />
    case 'palette':
      return <Palette />
    case undefined:
      return null
  }
}
