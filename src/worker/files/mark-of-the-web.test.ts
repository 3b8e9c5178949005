import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { markFromTheWeb, quarantine, zoneIdentifier } from './mark-of-the-web.ts'

it('the mark of the web names zone and host, no query and no credentials', () => {
  expect(zoneIdentifier('https://user:canary@h.example:8443/a%20b.exe?sig=canary#x')).toBe(
    '[ZoneTransfer]\r\nZoneId=3\r\nHostUrl=https://h.example:8443/a%20b.exe\r\n',
  )
  expect(zoneIdentifier(null)).toContain('HostUrl=about:internet\r\n')
  expect(zoneIdentifier('no link\r\nZoneId=0')).toBe(
    '[ZoneTransfer]\r\nZoneId=3\r\nHostUrl=about:internet\r\n',
  )
})

it('on macOS names flags, time and who fetched it', () => {
  expect(quarantine(1_700_000_000_999)).toBe('0081;6553f100;Sluice;')
})

it('C133 is set on the systems that know it only, and where it cannot be set nothing stops', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-mark-'))
  const path = join(folder, 'a.exe')
  await writeFile(path, 'x')
  const set: string[] = []
  const on = (platform: NodeJS.Platform) => ({
    platform,
    setAttribute: (...given: string[]) => {
      set.push(given.slice(0, 2).join(' '))
      return Promise.reject(new Error('no attributes here'))
    },
  })
  await markFromTheWeb(path, 'https://h.example/a.exe', on('linux'))
  expect(await readdir(folder)).toEqual(['a.exe'])
  await markFromTheWeb(path, 'https://h.example/a.exe', on('win32'))
  // Where there are no streams, the colon is part of a name.
  if (process.platform !== 'win32') expect(await readdir(folder)).toContain('a.exe:Zone.Identifier')
  expect(await readFile(`${path}:Zone.Identifier`, 'utf8')).toContain('ZoneId=3')
  await markFromTheWeb(join(folder, 'none', 'a.exe'), null, on('win32'))
  expect(set).toEqual([])
  await markFromTheWeb(path, null, on('darwin'))
  expect(set).toEqual([`${path} com.apple.quarantine`])
  await rm(folder, { recursive: true })
})
