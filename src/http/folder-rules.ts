/**
 * The only folders that clients over the network may save into: the download roots and what lies below them, after
 * every symbolic link on the way has been followed.
 */
import { realpathSync } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { SluiceError } from '../shared/errors.ts'

export class FolderRules {
  readonly #roots: () => readonly [string, ...string[]]

  /** `roots` is asked each time: a host's own settings may move them. */
  constructor(roots: () => readonly [string, ...string[]]) {
    this.#roots = roots
  }

  /** absolute; the first one is the default */
  get roots(): readonly [string, ...string[]] {
    return this.#roots()
  }

  /**
   * The folder as an absolute path; a relative one is below the first root. It need not exist.
   * @throws SluiceError `FORBIDDEN` outside the roots, `INVALID_INPUT` when it is no path
   */
  async confine(folder: string): Promise<string> {
    if (folder.trim() === '' || /[\u0000-\u001f]/.test(folder)) {
      throw new SluiceError('INVALID_INPUT', 'This is not a folder', { hint: 'Give the path of a folder.' })
    }
    const [first] = this.roots
    // a shell would have replaced it; here it would become a folder of that name
    const meansHome = folder === '~' || /^~[^/\\]*[/\\]/.test(folder)
    const absolute = isAbsolute(folder) ? resolve(folder) : resolve(first, folder)
    if (!meansHome && (await this.#isWithin(absolute))) return absolute
    throw new SluiceError('FORBIDDEN', 'This folder is outside the folders that may be saved into', {
      hint: 'Choose a folder below a download root, or start the host with another --download-root.',
    })
  }

  /** Whether a folder that a task has been given may be saved into (still): the roots may have moved since. */
  mayWrite(folder: string): boolean {
    const real = presentPathOf(folder)
    return this.roots.some((root) => isBelow(presentPathOf(root), real))
  }

  async #isWithin(absolute: string): Promise<boolean> {
    const real = await realPathOf(absolute)
    for (const root of this.roots) if (isBelow(await realPathOf(root), real)) return true
    return false
  }
}

function isBelow(root: string, path: string): boolean {
  const below = relative(root, path)
  return below === '' || (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below))
}

/** The path with the links in its existing part followed. Of one that was confined before: nothing dangles in it. */
function presentPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(presentPathOf(parent), basename(path))
  }
}

/** The path with every link in its existing part followed; the part that does not exist yet has no links. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    // a link whose target is missing would be followed by whoever creates the target
    if (parent === path || !(await isMissing(path))) throw unreadable(error)
    return join(await realPathOf(parent), basename(path))
  }
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT'
  }
}

function unreadable(cause: unknown): SluiceError {
  return new SluiceError('FORBIDDEN', 'This folder cannot be reached', {
    hint: 'Choose another folder below a download root.',
    cause,
  })
}
