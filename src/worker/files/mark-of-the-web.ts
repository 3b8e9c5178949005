/**
 * The marks by which systems know that a file came from the internet, set as browsers do: on Windows a stream of the
 * file, on macOS an extended attribute. Both stay with the file when that gets its name.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Content of `Zone.Identifier`. Of the link neither credentials nor query are kept: signed links are secrets. */
export function zoneIdentifier(url: string | null): string {
  const { origin, pathname } = (url === null ? null : URL.parse(url)) ?? { origin: 'null', pathname: '' }
  const host = origin === 'null' ? 'about:internet' : `${origin}${pathname}`
  return `[ZoneTransfer]\r\nZoneId=3\r\nHostUrl=${host}\r\n`
}

/** Value of `com.apple.quarantine`: flags of a download nobody has opened yet, hexadecimal seconds, who fetched it. */
export function quarantine(nowMs: number): string {
  return `0081;${Math.floor(nowMs / 1000).toString(16)};Sluice;`
}

export interface MarkingSystem {
  readonly platform: NodeJS.Platform
  /** Sets an extended attribute of a file; rejects where that is not possible. */
  setAttribute(path: string, name: string, value: string): Promise<void>
}

const thisSystem: MarkingSystem = {
  platform: process.platform,
  setAttribute: async (path, name, value) => {
    // Node has no call for it; the system's own tool is always there.
    await promisify(execFile)('/usr/bin/xattr', ['-w', name, value, path], { timeout: 5_000 })
  },
}

/**
 * Marks a file that came from `url` (null: from several, or unknown). Drives that cannot hold the mark (FAT) go
 * without, as with browsers; other systems know none.
 */
export async function markFromTheWeb(
  path: string,
  url: string | null,
  system: MarkingSystem = thisSystem,
): Promise<void> {
  if (system.platform === 'win32') {
    await writeFile(`${path}:Zone.Identifier`, zoneIdentifier(url)).catch(() => null)
  }
  if (system.platform === 'darwin') {
    await system.setAttribute(path, 'com.apple.quarantine', quarantine(Date.now())).catch(() => null)
  }
}
