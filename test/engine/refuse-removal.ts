/** A folder from which nothing can be removed, by whoever runs the tests. */
import { spawnSync } from 'node:child_process'
import { chmod } from 'node:fs/promises'

/** Resolves with what ends it, or with null where the file system cannot do that to root. */
export async function refuseRemoval(folder: string): Promise<(() => Promise<void>) | null> {
  if (process.getuid?.() !== 0) {
    await chmod(folder, 0o500)
    return () => chmod(folder, 0o700)
  }
  // permissions do not bind root, the flag of an immutable folder does
  if (spawnSync('chattr', ['+i', folder]).status !== 0) return null
  return () => {
    spawnSync('chattr', ['-i', folder])
    return Promise.resolve()
  }
}
