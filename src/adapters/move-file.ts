/**
 * Moving a file without ever overwriting one: a hard link takes the new name or fails, and only then the old name
 * goes. Where that is not possible (another volume, a file system without hard links) the file is copied under a name
 * of ours, synced and compared first: under its own name a file is always whole.
 */
import { constants } from 'node:fs'
import { copyFile, link, lstat, open, rename, rm, unlink, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SluiceError } from '../shared/errors.ts'
import { errnoOf, fileError } from './file-errors.ts'
import { syncFolder } from './sync-folder.ts'

/** How file systems say that they have no hard links, or none for this user. */
const linkless = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'])

/** @throws SluiceError `CONFLICT` when the target exists, `STORAGE_FULL`, `STORAGE_UNAVAILABLE` */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    const how = await tryLink(from, to)
    if (how === 'needs-copy') await copyAcross(from, to)
    if (how === 'needs-name') await takeName(from, to)
    else await unlink(from)
    await syncFolder(dirname(to))
    await syncFolder(dirname(from))
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') {
      throw new SluiceError('CONFLICT', 'A file with this name exists already', { cause: error })
    }
    throw fileError('The file cannot be moved', error)
  }
}

async function tryLink(from: string, to: string): Promise<'linked' | 'needs-copy' | 'needs-name'> {
  try {
    await link(from, to)
    return 'linked'
  } catch (error) {
    if (errnoOf(error) === 'EXDEV') return 'needs-copy'
    if (linkless.has(errnoOf(error))) return 'needs-name'
    throw error
  }
}

/** To another volume: copied beside the target, synced, compared, and only then named. */
async function copyAcross(from: string, to: string): Promise<void> {
  const { dev, ino } = await lstat(from)
  const copy = join(dirname(to), `.sluice-moving-${dev}-${ino}`)
  // one of the same file that a crash left behind
  await rm(copy, { force: true })
  try {
    await copyFile(from, copy, constants.COPYFILE_EXCL)
    const [source, made] = await Promise.all([lstat(from), lstat(copy)])
    if (source.size !== made.size) throw new Error('the copy is not as long as the file')
    await utimes(copy, source.atime, source.mtime)
    await syncFile(copy)
    if ((await tryLink(copy, to)) === 'linked') await unlink(copy)
    else await takeName(copy, to)
  } catch (error) {
    await rm(copy, { force: true })
    throw error
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Without hard links: an exclusively created empty file takes the name, and a rename replaces it. */
async function takeName(from: string, to: string): Promise<void> {
  await (await open(to, 'wx')).close()
  try {
    await rename(from, to)
  } catch (error) {
    await rm(to, { force: true })
    throw error
  }
}
