/**
 * Giving a verified, synced file its name: only with the host's leave, and never over a file that is there. The host
 * makes the name durable, with those of other tasks, before anyone hears of it. A crash between any two steps is
 * settled by the host at start-up, which looks at both names.
 */
import { constants, linkSync, statSync, unlinkSync } from 'node:fs'
import { link, lstat, open, rename, unlink } from 'node:fs/promises'
import type { Output } from '../../shared/task/model.ts'
import type { PublishAnswer, StepContext } from '../step-executor.ts'
import { codeOf, storageTrouble } from '../transfer/trouble.ts'
import { markFromTheWeb } from './mark-of-the-web.ts'
import { WritePace } from './write-pace.ts'

export type Published =
  { kind: 'published'; result: { kind: 'file'; output: Output; hasFirstName?: true } } | { kind: 'refused' }

/**
 * Publishes `from`, which must be whole, verified and synced. Asks the host for the name, again with the taken
 * one when something of that name turned up. `url`: where it came from, null for several places; `leave`: the name that
 * is granted already. Throws a storage `Trouble`; the file then still is at `from`.
 */
export async function publishFile(
  from: string,
  context: Pick<StepContext, 'requestPublish'>,
  options: { url?: string | null; pace?: WritePace; leave?: string } = {},
): Promise<Published> {
  const { url = null, pace = new WritePace(), leave } = options
  await markFromTheWeb(from, url)
  let takenPath: string | null = null
  let answer: PublishAnswer | null = leave === undefined ? null : { kind: 'publish', to: leave }
  for (;;) {
    answer ??= await context.requestPublish(from, takenPath)
    if (answer.kind === 'refused') return { kind: 'refused' }
    try {
      const named = await giveName(from, answer.to, pace)
      if (named !== 'taken') {
        const output = describeOutput(answer.to)
        return { kind: 'published', result: { kind: 'file', output, ...(named === 'twice' && twice) } }
      }
    } catch (thrown) {
      throw storageTrouble(thrown, answer.to)
    }
    takenPath = answer.to
    answer = null
  }
}

/** Codes with which file systems say that they know no hard links. */
const linkless = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EACCES'])

const twice = { hasFirstName: true } as const

/** `twice`: the first name is still there as well; `taken`: by anything, a file, a folder, a link to nowhere. */
type Naming = 'once' | 'twice' | 'taken'

async function giveName(from: string, to: string, pace: WritePace): Promise<Naming> {
  try {
    await pace.make(
      () => linkSync(from, to),
      () => link(from, to),
    )
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return (await isSameFile(from, to)) ? letGoOf(from, pace) : 'taken'
    if (!linkless.has(codeOf(thrown))) throw thrown
    return (await giveNameByPlaceholder(from, to)) ? 'once' : 'taken'
  }
  return letGoOf(from, pace)
}

/**
 * A file that has its name is published whatever becomes of the first one, which goes with what lies in the working
 * folder: to try again would be to download what is there.
 */
async function letGoOf(from: string, pace: WritePace): Promise<Naming> {
  try {
    await pace.make(
      () => unlinkSync(from),
      () => unlink(from),
    )
    return 'once'
  } catch {
    return 'twice'
  }
}

/** True when both names lead to one file: an earlier attempt died between link and unlink. */
async function isSameFile(from: string, to: string): Promise<boolean> {
  const [source, target] = await Promise.all([lstat(from, { bigint: true }), lstat(to, { bigint: true })])
  return source.dev === target.dev && source.ino === target.ino
}

/** Node has no rename that refuses to replace: an exclusively created empty file takes the name first. */
async function giveNameByPlaceholder(from: string, to: string): Promise<boolean> {
  try {
    await (await open(to, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o666)).close()
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    throw thrown
  }
  try {
    await renamePatiently(from, to)
  } catch (thrown) {
    await unlink(to).catch(() => null)
    throw thrown
  }
  return true
}

/** On Windows another program (a scanner, an indexer) may hold the file for a moment. */
async function renamePatiently(from: string, to: string): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += 250) {
    try {
      await rename(from, to)
      return
    } catch (thrown) {
      const busy = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(codeOf(thrown))
      if (!busy || waitedMs >= 60_000) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
}

/** Makes the folder's entries durable. Windows knows no such thing. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The file as an output: its identity is device, inode and modification time. */
export function describeOutput(path: string): Output {
  // not by another thread: what has just been given this name is in memory, and looked up in no time
  const { dev, ino, mtimeNs, size } = statSync(path, { bigint: true })
  return { path, size: Number(size), identity: `${dev}:${ino}:${mtimeNs}` }
}
