import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { errnoOf } from './file-errors.ts'

/**
 * Folders that cannot be synced: opening one fails on Windows (NTFS journals names by itself) and where the user may
 * write but not read it; some network file systems refuse the sync. Nothing better can be done there.
 */
function cannotBeSynced(thrown: unknown): boolean {
  return process.platform === 'win32' || ['EACCES', 'EPERM', 'EINVAL', 'ENOTSUP'].includes(errnoOf(thrown))
}

/** Makes names in this folder durable: a new file is only there after a power cut when its folder was synced. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (!cannotBeSynced(error)) throw error
  }
}

/** The same for the store's thread, where waiting is what it is for. */
export function syncFolderNow(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (!cannotBeSynced(error)) throw error
  }
}
