/**
 * A task's working folder beside its destination (same file system, so that the last step is a rename). Created
 * exclusively and never reached through a link: whoever plants a link there must not make us write elsewhere.
 */
import { lstat, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { SluiceError } from '../../shared/errors.ts'
import { codeOf, storageTrouble, Trouble } from '../transfer/trouble.ts'

/** Creates the folder, or takes the one of an earlier attempt. Throws a storage `Trouble`. */
export async function openWorkingFolder(path: string): Promise<'created' | 'found'> {
  try {
    await mkdir(path, { mode: 0o700 })
    return 'created'
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw storageTrouble(thrown, path)
  }
  const found = await lstat(path).catch((thrown: unknown) => {
    throw storageTrouble(thrown, path)
  })
  const foreign = typeof process.getuid === 'function' && found.uid !== process.getuid()
  if (!found.isDirectory() || foreign) {
    throw new Trouble(
      'storage-stuck',
      new SluiceError('STORAGE_UNAVAILABLE', 'Something else is where the working folder belongs', {
        hint: 'Remove it, then resume.',
        details: { path },
      }),
    )
  }
  return 'found'
}

/** Absolute path of a file of the working folder; `fileName` is one name, never a path. */
export function inWorkingFolder(folder: string, fileName: string): string {
  if (fileName !== basename(fileName) || fileName === '' || fileName === '.' || fileName === '..') {
    throw new SluiceError('INTERNAL', 'A file name of the working folder is a path')
  }
  return join(folder, fileName)
}
