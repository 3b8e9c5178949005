/** A disk in memory: names, sizes and identities, without contents. Survives the lives of a host in a test. */
import type { FileSystem } from '../../src/core/ports.ts'
import { SluiceError } from '../../src/shared/errors.ts'

interface FakeFile {
  size: number
  identity: string
}

function fold(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

export class FakeFiles implements FileSystem {
  readonly #files = new Map<string, { path: string } & FakeFile>()
  readonly #writable = new Map<string, boolean>()
  #identity = 0
  freeBytes = 1e12
  /** folders whose volume is away */
  readonly missing = new Set<string>()
  readonly removedFolders: string[] = []
  failRemoving = false
  failSyncing = false
  /** how many moves still succeed */
  failMoveAfter = Infinity

  /** Writes a file as a worker or a stranger would; returns what it is. */
  write(path: string, size: number): FakeFile {
    const file = { path, size, identity: `f${++this.#identity}` }
    this.#files.set(fold(path), file)
    return { size: file.size, identity: file.identity }
  }

  delete(path: string): void {
    this.#files.delete(fold(path))
  }

  /** Names a file without changing what it is; false when the name is taken. */
  rename(from: string, to: string): boolean {
    const file = this.#files.get(fold(from))
    if (file === undefined || this.#files.has(fold(to))) return false
    this.#files.delete(fold(from))
    this.#files.set(fold(to), { ...file, path: to })
    return true
  }

  /** What a file is now, null when there is none. */
  stat(path: string): FakeFile | null {
    const file = this.#files.get(fold(path))
    return file === undefined ? null : { size: file.size, identity: file.identity }
  }

  /** A second name for the same file. */
  link(from: string, to: string): void {
    const file = this.#files.get(fold(from))
    if (file !== undefined) this.#files.set(fold(to), { ...file, path: to })
  }

  paths(): string[] {
    return [...this.#files.values()].map((file) => file.path).sort()
  }

  setWritable(folder: string, writable: boolean): void {
    this.#writable.set(folder, writable)
  }

  #check(folder: string): void {
    if (this.missing.has(folder) || this.#writable.get(folder) === false) {
      throw new SluiceError('STORAGE_UNAVAILABLE', 'The folder cannot be written', { details: { folder } })
    }
  }

  ensureFolder(folder: string): Promise<void> {
    return Promise.resolve().then(() => this.#check(folder))
  }

  isTaken(path: string): Promise<boolean> {
    return Promise.resolve(this.#files.has(fold(path)))
  }

  seemsTaken(path: string): Promise<boolean> {
    return this.isTaken(path)
  }

  syncFolder(): Promise<void> {
    if (!this.failSyncing) return Promise.resolve()
    return Promise.reject(new SluiceError('STORAGE_UNAVAILABLE', 'The folder cannot be written'))
  }

  describe(path: string): Promise<FakeFile | null> {
    return Promise.resolve(this.stat(path))
  }

  deleteIfSame(path: string, expected: FakeFile): Promise<'deleted' | 'missing' | 'changed'> {
    const file = this.#files.get(fold(path))
    if (file === undefined) return Promise.resolve('missing')
    if (file.size !== expected.size || file.identity !== expected.identity) return Promise.resolve('changed')
    this.#files.delete(fold(path))
    return Promise.resolve('deleted')
  }

  removeWorkingFolder(path: string): Promise<void> {
    if (this.failRemoving) {
      return Promise.reject(new SluiceError('STORAGE_UNAVAILABLE', 'The working folder cannot be removed'))
    }
    this.removedFolders.push(path)
    for (const key of [...this.#files.keys()]) {
      if (key.startsWith(`${fold(path)}/`)) this.#files.delete(key)
    }
    return Promise.resolve()
  }

  removeFile(path: string): Promise<void> {
    this.#files.delete(fold(path))
    return Promise.resolve()
  }

  space(folder: string): Promise<{ freeBytes: number; volume: string }> {
    return Promise.resolve().then(() => {
      this.#check(folder)
      return { freeBytes: this.freeBytes, volume: 'disk' }
    })
  }

  join(folder: string, name: string): string {
    return folder.endsWith('/') ? folder + name : `${folder}/${name}`
  }

  split(path: string): { folder: string; stem: string; extension: string } {
    const slash = path.lastIndexOf('/')
    const name = path.slice(slash + 1)
    const dot = name.lastIndexOf('.')
    return {
      folder: path.slice(0, slash),
      stem: dot > 0 ? name.slice(0, dot) : name,
      extension: dot > 0 ? name.slice(dot) : '',
    }
  }

  move(from: string, to: string): Promise<void> {
    return Promise.resolve().then(() => {
      if (this.failMoveAfter-- === 0) {
        throw new SluiceError('STORAGE_UNAVAILABLE', 'The file cannot be moved')
      }
      const inside = [...this.#files.values()].filter((file) => file.path.startsWith(`${from}/`))
      for (const file of inside) this.rename(file.path, to + file.path.slice(from.length))
      if (inside.length > 0) return
      if (!this.#files.has(fold(from))) throw new SluiceError('STORAGE_UNAVAILABLE', 'There is no such file')
      if (!this.rename(from, to)) throw new SluiceError('CONFLICT', 'The name is taken')
    })
  }
}
