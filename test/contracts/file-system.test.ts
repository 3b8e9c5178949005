import { existsSync, statSync } from 'node:fs'
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

  it('guesses whether a name is taken without reading the folder each time, and is never wrong that one is', async () => {
    await writeFile(join(folder, 'gone'), '')
    expect(await files.seemsTaken(join(folder, 'GONE'))).toBe(true)
    expect(await files.seemsTaken(join(folder, 'free'))).toBe(false)
    await writeFile(join(folder, 'young'), '')
    await rm(join(folder, 'gone'))
    expect(await files.seemsTaken(join(folder, 'young'))).toBe(false)
    expect(await files.isTaken(join(folder, 'young'))).toBe(true)
    expect(await files.seemsTaken(join(folder, 'gone'))).toBe(false)
    await expect.poll(() => files.seemsTaken(join(folder, 'young')), { timeout: 5000 }).toBe(true)
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

  it('moves to another volume whole, leaving nothing else on either', async (context) => {
    const other = '/dev/shm'
    if (!existsSync(other) || statSync(other).dev === statSync(folder).dev)
      context.skip('no second volume here')
    const target = await mkdtemp(join(other, 'sluice-files-'))
    try {
      const [from, to] = [join(folder, 'from'), join(target, 'to')]
      await writeFile(from, 'content')
      await utimes(from, 1000, 1000)
      await files.move(from, to)
      expect(await readFile(to, 'utf8')).toBe('content')
      expect(statSync(to).mtimeMs).toBe(1_000_000)
      expect(await readdir(folder)).toEqual([])
      expect(await readdir(target)).toEqual(['to'])
      await writeFile(from, 'other')
      await expect(files.move(from, to)).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await readFile(to, 'utf8')).toBe('content')
      expect(await readFile(from, 'utf8')).toBe('other')
      expect(await readdir(target)).toEqual(['to'])
    } finally {
      await rm(target, { recursive: true })
    }
  })

  it('F46: of many that move to one name at once, one gets it and none is lost', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `from-${index}`)
    await Promise.all(names.map((name) => writeFile(join(folder, name), name)))
    const moves = await Promise.allSettled(
      names.map((name) => files.move(join(folder, name), join(folder, 'to'))),
    )
    expect(moves.filter((move) => move.status === 'fulfilled')).toHaveLength(1)
    const contents = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    )
    expect(contents.sort()).toEqual(names.sort())
  })

  it('F36: does not make the folder of a drive that is not connected on the disk of the system', async () => {
    const root = '/run/media/sluice-test'
    await expect(files.ensureFolder(`${root}/drive/folder`)).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('not connected') as string,
    })
    expect(existsSync(root)).toBe(false)
  })

  it('removes a file or a link by its name, not what a link leads to', async () => {
    await writeFile(join(folder, 'victim'), 'abc')
    await symlink(join(folder, 'victim'), join(folder, 'link'))
    await files.removeFile(join(folder, 'link'))
    await expect(lstat(join(folder, 'link'))).rejects.toThrow()
    await files.removeFile(join(folder, 'victim'))
    await files.removeFile(join(folder, 'victim'))
    await files.removeFile(join(folder, 'none', 'victim'))
    expect(await readdir(folder)).toEqual([])
  })

  it('leaves a file or a link that stands where a working folder was', async () => {
    await writeFile(join(folder, 'working'), 'abc')
    await files.removeWorkingFolder(join(folder, 'working'))
    expect(await readFile(join(folder, 'working'), 'utf8')).toBe('abc')
  })

  it('splits a path before its extension', () => {
    expect(files.split('/d/a.tar.gz')).toEqual({ folder: '/d', stem: 'a.tar', extension: '.gz' })
    expect(files.split('/d/.hidden')).toEqual({ folder: '/d', stem: '.hidden', extension: '' })
  })
})
