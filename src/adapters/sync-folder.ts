import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'

// Windows has no sync of folders: opening one fails there, and NTFS journals names by itself
const foldersCanBeSynced = process.platform !== 'win32'

/** Makes names in this folder durable: a new file is only there after a power cut when its folder was synced. */
export async function syncFolder(folder: string): Promise<void> {
  if (!foldersCanBeSynced) return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The same for the store's thread, where waiting is what it is for. */
export function syncFolderNow(folder: string): void {
  if (!foldersCanBeSynced) return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
