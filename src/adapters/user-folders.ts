/** Where the system keeps a user's data and downloads. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Data folder of the headless host unless one is given. */
export function defaultDataFolder(): string {
  switch (process.platform) {
    case 'win32':
      return join(process.env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'Sluice')
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support', 'Sluice')
    default:
      return join(process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'sluice')
  }
}

/** Data folder of the desktop app, where Electron puts it. */
export function desktopDataFolder(): string {
  const name = 'sluice'
  switch (process.platform) {
    case 'win32':
      return join(process.env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), name)
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support', name)
    default:
      return join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), name)
  }
}

/** The user's Downloads folder; on Linux by `user-dirs.dirs` where a desktop keeps one. */
export function downloadsFolder(): string {
  const usual = join(homedir(), 'Downloads')
  if (process.platform === 'win32' || process.platform === 'darwin') return usual
  const config = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
  try {
    const named = /^XDG_DOWNLOAD_DIR="([^"\n]+)"/m.exec(
      readFileSync(join(config, 'user-dirs.dirs'), 'utf8'),
    )?.[1]
    const folder = named?.replace(/^\$HOME(?=\/|$)/, homedir())
    return folder !== undefined && isAbsolute(folder) ? folder : usual
  } catch {
    // no such file: no desktop has chosen another place
    return usual
  }
}
