/** Finding FFmpeg: where the settings say, else on the PATH. The product runs without it. */
import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function onPath(): Promise<string | null> {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg'
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    // a relative entry would depend on where the app was started
    if (isAbsolute(folder) && (await isExecutable(join(folder, name)))) return join(folder, name)
  }
  return null
}

/**
 * The FFmpeg to use and its version, null when there is none that answers.
 * @param configured absolute path from the settings, empty to look on the PATH
 */
export async function findFfmpeg(configured: string): Promise<{ path: string; version: string } | null> {
  const path = configured === '' ? await onPath() : configured
  if (path === null || !isAbsolute(path)) return null
  try {
    const { stdout } = await run(path, ['-hide_banner', '-version'], { timeout: 10_000 })
    const version = /^ffmpeg version (\S+)/.exec(stdout)?.[1]
    return version === undefined ? null : { path, version }
  } catch {
    return null
  }
}
