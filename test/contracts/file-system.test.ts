import { lstat, mkdir, mkdtemp, readFile, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NodeFileSystem } from '../../src/adapters/file-system.ts'

describe('the file system as the domain sees it', () => {
  const files = new NodeFileSystem()
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-files-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('makes a folder with its parents, proves it writable and leaves nothing in it', async () => {
    const deep = join(folder, 'a/b/c')
    await files.ensureFolder(deep)
    expect(await readdir(deep)).toEqual([])
  })

  it('says that a folder below a file cannot be written', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(files.ensureFolder(join(folder, 'file/below'))).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    })
  })

  it('B10: a name is taken also by its twin in case or composition, and by a dangling link', async () => {
    await writeFile(join(folder, 'Caf\u00e9.bin'), '')
    await symlink('/nowhere/at/all', join(folder, 'dangling'))
    expect(await files.isTaken(join(folder, 'CAFE\u0301.BIN'))).toBe(true)
    expect(await files.isTaken(join(folder, 'DANGLING'))).toBe(true)
    expect(await files.isTaken(join(folder, 'other'))).toBe(false)
    expect(await files.isTaken(join(folder, 'missing/other'))).toBe(false)
  })

  it('describes regular files only', async () => {
    const path = join(folder, 'file')
    await writeFile(path, 'abc')
    await symlink(path, join(folder, 'link'))
    expect(await files.describe(path)).toMatchObject({ size: 3 })
    expect(await files.describe(join(folder, 'link'))).toBeNull()
    expect(await files.describe(folder)).toBeNull()
    expect(await files.describe(join(folder, 'none'))).toBeNull()
  })

  it('deletes a file only while it is the one described', async () => {
    const path = join(folder, 'file')
    await writeFile(path, 'abc')
    const described = await files.describe(path)
    if (described === null) throw new Error('the file is there')
    await utimes(path, 1, 1)
    expect(await files.deleteIfSame(path, described)).toBe('changed')
    expect(await readFile(path, 'utf8')).toBe('abc')
    const again = await files.describe(path)
    if (again === null) throw new Error('the file is there')
    expect(await files.deleteIfSame(path, again)).toBe('deleted')
    expect(await files.deleteIfSame(path, again)).toBe('missing')
  })

  it('removes a working folder, but never through a link', async () => {
    const victim = join(folder, 'victim')
    await mkdir(victim)
    await writeFile(join(victim, 'file'), 'abc')
    await symlink(victim, join(folder, 'working'))
    await files.removeWorkingFolder(join(folder, 'working'))
    expect(await readFile(join(victim, 'file'), 'utf8')).toBe('abc')
    await files.removeWorkingFolder(victim)
    await expect(lstat(victim)).rejects.toThrow()
    await files.removeWorkingFolder(victim)
  })

  it('tells the space of the volume, also for a folder that is still to be made', async () => {
    const here = await files.space(folder)
    const below = await files.space(join(folder, 'not/yet'))
    expect(here.freeBytes).toBeGreaterThan(0)
    expect(below.volume).toBe(here.volume)
  })

  it('moves without overwriting', async () => {
    await writeFile(join(folder, 'from'), 'new')
    await writeFile(join(folder, 'to'), 'old')
    await expect(files.move(join(folder, 'from'), join(folder, 'to'))).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect(await readFile(join(folder, 'to'), 'utf8')).toBe('old')
    await files.move(join(folder, 'from'), join(folder, 'free'))
    expect(await readFile(join(folder, 'free'), 'utf8')).toBe('new')
    expect((await readdir(folder)).sort()).toEqual(['free', 'to'])
  })

  it('splits a path before its extension', () => {
    expect(files.split('/d/a.tar.gz')).toEqual({ folder: '/d', stem: 'a.tar', extension: '.gz' })
    expect(files.split('/d/.hidden')).toEqual({ folder: '/d', stem: '.hidden', extension: '' })
  })
})
