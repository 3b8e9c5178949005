/**
 * The mark that Windows puts its warnings by: a stream of the file that says it came from the internet, as browsers
 * write it. The stream stays with the file when that gets its name.
 */
import { writeFile } from 'node:fs/promises'

/** Content of `Zone.Identifier`. Of the link neither credentials nor query are kept: signed links are secrets. */
export function zoneIdentifier(url: string | null): string {
  const { origin, pathname } = (url === null ? null : URL.parse(url)) ?? { origin: 'null', pathname: '' }
  const host = origin === 'null' ? 'about:internet' : `${origin}${pathname}`
  return `[ZoneTransfer]\r\nZoneId=3\r\nHostUrl=${host}\r\n`
}

/**
 * Marks a file that came from `url` (null: from several, or unknown). Only Windows knows the mark, and drives without
 * streams (FAT) cannot hold it: there it is left out, as browsers do.
 */
export async function markFromTheWeb(
  path: string,
  url: string | null,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform !== 'win32') return
  await writeFile(`${path}:Zone.Identifier`, zoneIdentifier(url)).catch(() => null)
}
