/**
 * What the domain does with files, on the real disk. Nothing here follows a link or overwrites a file, and a
 * file is deleted only while it still is the one that was described.
 */
import { constants } from 'node:fs'
import {
  access,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  statfs,
  unlink,
} from 'node:fs/promises'
import { basename, dirname, extname, join, parse } from 'node:path'
import type { BigIntStats } from 'node:fs'
import type { FileSystem } from '../core/ports.ts'
import { SluiceError } from '../shared/errors.ts'
import { foldPath } from '../core/names/fold-path.ts'

function errnoOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

function isMissing(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errnoOf(thrown))
}

function unavailable(message: string, thrown: unknown): SluiceError {
  return new SluiceError('STORAGE_UNAVAILABLE', message, {
    details: { errno: errnoOf(thrown) },
    cause: thrown,
  })
}

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
    throw unavailable('The file cannot be read', error)
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows has no sync of folders: opening one fails there, and NTFS journals names by itself
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export class NodeFileSystem implements FileSystem {
  async ensureFolder(folder: string): Promise<void> {
    try {
      await mkdir(folder, { recursive: true })
      // access(2) says yes to root even on a read-only mount's files; only a file of our own proves it
      await access(folder, constants.W_OK | constants.X_OK)
      const probe = join(folder, `.sluice-probe-${process.pid}-${performance.now()}`)
      await (await open(probe, 'wx')).close()
      await unlink(probe)
    } catch (error) {
      throw unavailable('The folder cannot be written', error)
    }
  }

  async isTaken(path: string): Promise<boolean> {
    const wanted = foldPath(basename(path))
    try {
      const names = await readdir(dirname(path))
      return names.some((name) => foldPath(name) === wanted)
    } catch (error) {
      if (isMissing(error)) return false
      throw unavailable('The folder cannot be read', error)
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
      throw unavailable('The file cannot be deleted', error)
    }
    return 'deleted'
  }

  async removeWorkingFolder(path: string): Promise<void> {
    try {
      const stats = await lstat(path)
      if (stats.isSymbolicLink()) return
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      if (!isMissing(error)) throw unavailable('The working folder cannot be removed', error)
    }
  }

  async space(folder: string): Promise<{ freeBytes: number; volume: string }> {
    // a folder that is not there yet is on the volume of its nearest parent
    for (let at = folder; ; at = dirname(at)) {
      try {
        const [numbers, stats] = await Promise.all([statfs(at), lstat(at, { bigint: true })])
        return { freeBytes: numbers.bavail * numbers.bsize, volume: String(stats.dev) }
      } catch (error) {
        if (!isMissing(error) || dirname(at) === at) throw unavailable('The drive cannot be reached', error)
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

  async move(from: string, to: string): Promise<void> {
    try {
      await link(from, to)
      await unlink(from)
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') {
        throw new SluiceError('CONFLICT', 'A file with this name exists already', { cause: error })
      }
      if (errnoOf(error) === 'EXDEV') await this.#moveAcross(from, to)
      else if (['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error)))
        await this.#moveByName(from, to)
      else throw unavailable('The file cannot be moved', error)
    }
    await syncFolder(dirname(to))
  }

  /** To another volume: copied, synced, and only then taken away. */
  async #moveAcross(from: string, to: string): Promise<void> {
    try {
      await copyFile(from, to, constants.COPYFILE_EXCL)
      const handle = await open(to, 'r+')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
      await unlink(from)
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') {
        throw new SluiceError('CONFLICT', 'A file with this name exists already', { cause: error })
      }
      await rm(to, { force: true })
      throw unavailable('The file cannot be moved', error)
    }
  }

  /** Where hard links are not possible: an exclusively created placeholder, and a rename over it. */
  async #moveByName(from: string, to: string): Promise<void> {
    try {
      await (await open(to, 'wx')).close()
      await rename(from, to)
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') {
        throw new SluiceError('CONFLICT', 'A file with this name exists already', { cause: error })
      }
      throw unavailable('The file cannot be moved', error)
    }
  }
}
