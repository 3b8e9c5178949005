/** Certificate authorities that are trusted beside the system's: those given at the start, and those of the user's file. */
import { readFile, stat } from 'node:fs/promises'

/** Largest file that is taken, in bytes: all public authorities together have less than half of it. */
const maxFileBytes = 1024 * 1024

export class Authorities {
  readonly #given: readonly string[]
  readonly #onChange: () => void
  #fromFile: readonly string[] = []
  #read = { path: '', modifiedMs: 0 }
  /** path of the user's file when it could not be used */
  unusableFile: string | null = null

  /** `onChange`: others are trusted from now on, and what was agreed with the old ones is void. */
  constructor(given: readonly string[], onChange: () => void) {
    this.#given = given
    this.#onChange = onChange
  }

  /** PEM of each */
  get own(): string[] {
    return [...this.#given, ...this.#fromFile]
  }

  /** Takes the authorities of a PEM file ('' for none), read again when it changed. Never rejects: see `unusableFile`. */
  async follow(path: string): Promise<void> {
    try {
      const modifiedMs = path === '' ? 0 : (await stat(path)).mtimeMs
      if (path === this.#read.path && modifiedMs === this.#read.modifiedMs) return
      this.#fromFile = path === '' ? [] : await readAuthorities(path)
      this.#read = { path, modifiedMs }
      this.unusableFile = null
    } catch {
      this.#fromFile = []
      this.#read = { path: '', modifiedMs: 0 }
      this.unusableFile = path
    }
    this.#onChange()
  }
}

async function readAuthorities(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  // Loaded for the few who have such a file.
  const { X509Certificate } = await import('node:crypto')
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  if (text.length > maxFileBytes || blocks === null) throw new Error('no file of certificates')
  return blocks.map((block) => new X509Certificate(block).toString())
}
