/**
 * Whose certificates are trusted: the authorities that Node knows (its own list and NODE_EXTRA_CA_CERTS), those given
 * at the start, those of the user's file and, once a host shows a certificate of none of them, those of the system.
 * These cost a tenth of a second to read, and few hosts need them.
 */
import { readFile, stat } from 'node:fs/promises'
import type { SecureContext } from 'node:tls'

/** Largest file that is taken, in bytes: all public authorities together have less than half of it. */
const maxFileBytes = 1024 * 1024

/** Loaded by the first connection that needs it: it costs a worker as much time as all of its own code. */
export const loadTls = () => process.getBuiltinModule('node:tls')

/** OpenSSL's codes for a chain that ends at nobody known, by X509_verify_cert_error_string(3). */
const unknownAuthority =
  /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?)$/

/** Whether the certificate was refused for no other reason than that nobody known vouches for it. */
export function isOfUnknownAuthority(code: string): boolean {
  return unknownAuthority.test(code)
}

/** PEM of each authority of the operating system. */
function systemAuthorities(): readonly string[] {
  try {
    return loadTls().getCACertificates('system')
  } catch {
    // a runtime that cannot read this system's store goes on with its own list
    return []
  }
}

export class Authorities {
  readonly #given: readonly string[]
  readonly #ofSystem: () => readonly string[]
  readonly #onChange: () => void
  #fromFile: readonly string[] = []
  #fromSystem: readonly string[] | null = null
  #read = { path: '', modifiedMs: 0 }
  #context: SecureContext | null = null
  /** path of the user's file when it could not be used */
  unusableFile: string | null = null

  /** `onChange`: others are trusted from now on, and what was agreed with the old ones is void. */
  constructor(given: readonly string[], onChange: () => void, ofSystem = systemAuthorities) {
    this.#given = given
    this.#onChange = onChange
    this.#ofSystem = ofSystem
  }

  get isSystemTrusted(): boolean {
    return this.#fromSystem !== null
  }

  /** Trusts the authorities of the system too, from the next connection on. */
  trustSystem(): void {
    if (this.#fromSystem !== null) return
    this.#fromSystem = this.#ofSystem()
    this.#context = null
  }

  /** What a connection checks certificates by; undefined: what Node knows. Made once: it costs 60 ms each time. */
  context(): SecureContext | undefined {
    if (this.#context !== null) return this.#context
    const own = [...this.#given, ...this.#fromFile, ...(this.#fromSystem ?? [])]
    if (own.length === 0) return undefined
    const tls = loadTls()
    const ca = [...new Set([...tls.getCACertificates('default'), ...own])]
    this.#context = tls.createSecureContext({ ca })
    return this.#context
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
    this.#context = null
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
