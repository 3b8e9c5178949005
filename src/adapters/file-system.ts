/**
 * What the domain does with files, on the real disk. Nothing here follows a link or overwrites a file, and a
 * file is deleted only while it still is the one that was described.
 */
import type { BigIntStats } from 'node:fs'
import { lstat, open, rm, rmdir, stat, statfs, unlink } from 'node:fs/promises'
import { basename, dirname, extname, join, parse } from 'node:path'
import { foldPath } from '../core/names/fold-path.ts'
import type { FileSystem } from '../core/ports.ts'
import { SluiceError } from '../shared/errors.ts'
import { fileError, isMissing } from './file-errors.ts'
import { FolderListings } from './folder-listings.ts'
import { FolderSyncs } from './folder-syncs.ts'
import { makeFolder } from './make-folder.ts'
import { moveFile } from './move-file.ts'
import { syncFolder } from './sync-folder.ts'

function identityOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.mtimeNs}`
}

/** Facts of a regular file, null when there is none (a link or folder is not the file we wrote). */
async function fileFacts(path: string): Promise<BigIntStats | null> {
  try {
    const stats = await lstat(path, { bigint: true })
    return stats.isFile() ? stats : null
  } catch (error) {
    if (isMissing(error)) return null
    throw fileError('The file cannot be read', error)
  }
}

/**
 * Where systems mount a drive that is plugged in, and remove the folder with the drive. A folder on such a drive must
 * not be made anew on the system's own disk while the drive is away (F36).
 */
const removableVolume = /^(?:\/media\/[^/]+\/[^/]+|\/run\/media\/[^/]+\/[^/]+|\/Volumes\/[^/]+)(?=\/|$)/

async function requireVolume(folder: string): Promise<void> {
  const root = removableVolume.exec(folder)?.[0]
  if (root === undefined) return
  try {
    await stat(root)
  } catch (error) {
    throw new SluiceError('STORAGE_UNAVAILABLE', 'The drive of the folder is not connected', { cause: error })
  }
}

/** Makes the folder and what is missing above it, each name durable. */
async function makeDurableFolder(folder: string): Promise<void> {
  const first = await makeFolder(folder)
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** False when something is in it, or it is no folder. */
async function removedEmpty(path: string): Promise<boolean> {
  // there it takes a link away, too
  if (process.platform === 'win32') return false
  return rmdir(path).then(
    () => true,
    () => false,
  )
}

export class NodeFileSystem implements FileSystem {
  readonly #listings = new FolderListings()
  readonly #syncs = new FolderSyncs()

  async ensureFolder(folder: string): Promise<void> {
    try {
      await requireVolume(folder)
      await makeDurableFolder(folder)
      // permissions say yes to root, and on some drives to everybody; only a file of our own proves it
      const probe = join(folder, `.sluice-probe-${process.pid}-${performance.now()}`)
      await (await open(probe, 'wx')).close()
      await unlink(probe)
    } catch (error) {
      throw fileError('The folder cannot be written', error)
    }
  }

  async isTaken(path: string): Promise<boolean> {
    return (await this.#listings.now(dirname(path))).has(foldPath(basename(path)))
  }

  async seemsTaken(path: string): Promise<boolean> {
    const lately = await this.#listings.lately(dirname(path))
    return lately.has(foldPath(basename(path))) && (await this.isTaken(path))
  }

  async syncFolder(folder: string): Promise<void> {
    try {
      await this.#syncs.run(folder)
    } catch (error) {
      throw fileError('The folder cannot be written', error)
    }
  }

  async describe(path: string): Promise<{ size: number; identity: string } | null> {
    const stats = await fileFacts(path)
    return stats === null ? null : { size: Number(stats.size), identity: identityOf(stats) }
  }

  async deleteIfSame(
    path: string,
    expected: { size: number; identity: string },
  ): Promise<'deleted' | 'missing' | 'changed'> {
    const now = await this.describe(path)
    if (now === null) return 'missing'
    if (now.size !== expected.size || now.identity !== expected.identity) return 'changed'
    try {
      await unlink(path)
    } catch (error) {
      if (isMissing(error)) return 'missing'
      throw fileError('The file cannot be deleted', error)
    }
    return 'deleted'
  }

  async removeWorkingFolder(path: string): Promise<void> {
    if (await removedEmpty(path)) return
    try {
      // a link or a file in its place is not ours
      if (!(await lstat(path)).isDirectory()) return
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      if (!isMissing(error)) throw fileError('The working folder cannot be removed', error)
    }
  }

  async removeFile(path: string): Promise<void> {
    try {
      await unlink(path)
    } catch (error) {
      if (!isMissing(error)) throw fileError('The file cannot be deleted', error)
    }
  }

  async space(folder: string): Promise<{ freeBytes: number; volume: string }> {
    // a folder that is not there yet is on the volume of its nearest parent
    for (let at = folder; ; at = dirname(at)) {
      try {
        const [numbers, stats] = await Promise.all([statfs(at), stat(at)])
        return { freeBytes: numbers.bavail * numbers.bsize, volume: String(stats.dev) }
      } catch (error) {
        if (!isMissing(error) || dirname(at) === at) throw fileError('The drive cannot be reached', error)
      }
    }
  }

  join(folder: string, name: string): string {
    return join(folder, name)
  }

  split(path: string): { folder: string; stem: string; extension: string } {
    const { dir, name } = parse(path)
    return { folder: dir, stem: name, extension: extname(path) }
  }

  move(from: string, to: string): Promise<void> {
    return moveFile(from, to)
  }
}
