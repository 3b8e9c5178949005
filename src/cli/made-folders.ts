/** Folders that a command made for its files, so that one which brought nothing leaves nothing. */
import { rmdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Those among a folder and its parents that do not exist yet, deepest first. */
export async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = []
  for (let path = folder; ; path = dirname(path)) {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    )
    if (isThere || dirname(path) === path) return missing
    missing.push(path)
  }
}

/** Removes them, deepest first, as far as they are empty. */
export async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await rmdir(folder)
    } catch {
      // something is in it, or somebody else took it away: then it is not ours to tidy
      return
    }
  }
}
