import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderRules } from './folder-rules.ts'

let base: string
let rules: FolderRules
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-folders-')))
  mkdirSync(join(base, 'root/inside'), { recursive: true })
  mkdirSync(join(base, 'second'))
  mkdirSync(join(base, 'outside'))
  mkdirSync(join(base, 'root-too'))
  rules = new FolderRules(() => [join(base, 'root'), join(base, 'second')])
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test.each([
  'root',
  'root/inside',
  'root/not/yet/there',
  'second',
  'second/new',
  'root/inside/..',
  'root/./inside',
])('%s may be saved into', async (folder) => {
  await expect(rules.confine(join(base, folder))).resolves.toBe(join(base, folder))
})

test('a relative folder is below the first root', async () => {
  await expect(rules.confine('music/2026')).resolves.toBe(join(base, 'root/music/2026'))
  await expect(rules.confine('.')).resolves.toBe(join(base, 'root'))
})

test('B46: nothing outside the roots is reached, by any spelling', async () => {
  const outside = [
    '/etc',
    '/',
    base,
    join(base, 'outside'),
    join(base, 'root-too'),
    `${base}/root/../outside`,
    '../outside',
    'inside/../../outside',
    '~/.ssh',
    '~',
    '~root/x',
    '..',
  ]
  for (const folder of outside) {
    await expect(rules.confine(folder), folder).rejects.toMatchObject({ code: 'FORBIDDEN' })
  }
})

test('B46: a symbolic link out of the root is followed before it is judged', async () => {
  symlinkSync(join(base, 'outside'), join(base, 'root/way-out'))
  symlinkSync(join(base, 'nowhere'), join(base, 'root/dangling'))
  symlinkSync(join(base, 'root/inside'), join(base, 'outside/way-in'))
  await expect(rules.confine('way-out')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(rules.confine('way-out/deeper')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(rules.confine('dangling')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(rules.confine('dangling/deeper')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(rules.confine(join(base, 'outside/way-in'))).resolves.toBe(join(base, 'outside/way-in'))
})

test('a root that is a link itself is as good as what it leads to', async () => {
  symlinkSync(join(base, 'second'), join(base, 'linked'))
  const linked = new FolderRules(() => [join(base, 'linked')])
  await expect(linked.confine('x')).resolves.toBe(join(base, 'linked/x'))
  await expect(linked.confine(join(base, 'second/x'))).resolves.toBe(join(base, 'second/x'))
})

test('what is no path is refused as such', async () => {
  for (const folder of ['', '   ', 'a\0b', 'a\nb']) {
    await expect(rules.confine(folder)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  }
})
