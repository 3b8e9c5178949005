import { closeSync, writeFileSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openNew, openNewSync } from './new-file.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-new-file-'))
})
afterEach(() => rm(folder, { recursive: true }))

type Open = (path: string) => Promise<FileHandle> | number
const ways: [string, Open][] = [
  ['by a thread', openNew],
  ['on the spot', openNewSync],
]

async function put(open: Open, path: string, text: string): Promise<void> {
  const file = await open(path)
  writeFileSync(typeof file === 'number' ? file : file.fd, text)
  if (typeof file === 'number') closeSync(file)
  else await file.close()
}

it.each(ways)('%s: what is there under the name is removed, and a link is not followed', async (_, open) => {
  const [path, other] = [join(folder, 'f'), join(folder, 'other')]
  await writeFile(other, 'untouched')
  for (const leave of [
    () => writeFile(path, 'older and longer'),
    () => symlink(other, path),
    () => symlink(join(folder, 'nowhere'), path),
  ]) {
    await leave()
    await put(open, path, 'new')
    expect(await readFile(path, 'utf8')).toBe('new')
    await rm(path)
  }
  expect(await readFile(other, 'utf8')).toBe('untouched')
})

it.each(ways)('%s: a folder of the name stays, and nothing is made', async (_, open) => {
  const path = join(folder, 'f')
  await mkdir(path)
  await expect(put(open, path, 'new')).rejects.toThrow()
  await writeFile(join(path, 'still'), 'there')
})
