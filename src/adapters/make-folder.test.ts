import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder, makeFolderSync } from './make-folder.ts'

const ways = [
  { name: 'makeFolder', make: makeFolder },
  {
    name: 'makeFolderSync',
    make: (path: string, mode?: number) =>
      new Promise<void>((resolve) => {
        makeFolderSync(path, mode)
        resolve()
      }),
  },
]

let base: string
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sluice-make-'))
})
afterEach(() => rm(base, { recursive: true }))

describe.each(ways)('$name', ({ make }) => {
  it('makes what is missing, with the mode that is asked for', async () => {
    await make(join(base, 'a/b/c'), 0o700)
    for (const each of ['a', 'a/b', 'a/b/c']) expect((await stat(join(base, each))).mode & 0o777).toBe(0o700)
  })

  it('takes what is there, also by way of a link', async () => {
    await mkdir(join(base, 'there'))
    await symlink(join(base, 'there'), join(base, 'link'))
    for (const each of ['there', 'link', 'link/..']) await make(join(base, each))
    await make('/')
    await make(join(base, 'link/in'))
    expect(existsSync(join(base, 'there/in'))).toBe(true)
  })

  it('says that a file is in the way', async () => {
    await writeFile(join(base, 'file'), '')
    for (const each of ['file', 'file/in', 'file/in/deeper']) {
      await expect(make(join(base, each))).rejects.toThrow('EEXIST')
    }
  })

  it.skipIf(!existsSync('/proc/self'))(
    'ends where a folder is there and none can be made in it',
    async () => {
      await expect(make('/proc/sluice/in')).rejects.toThrow('ENOENT')
    },
  )
})

it('makeFolder tells the uppermost folder that it made', async () => {
  expect(await makeFolder(join(base, 'a/b'))).toBe(join(base, 'a'))
  expect(await makeFolder(join(base, 'a/b'))).toBeUndefined()
  expect(await makeFolder(join(base, 'a/c'))).toBe(join(base, 'a/c'))
})

it('several that make the same folders at once all have them', async () => {
  const wanted = Array.from({ length: 40 }, (_, index) => join(base, 'a/b/c/d', String(index % 4)))
  await Promise.all(wanted.map((path) => makeFolder(path)))
  expect(wanted.every((path) => existsSync(path))).toBe(true)
})
