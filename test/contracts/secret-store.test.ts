import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyFileSecretStore } from '../../src/adapters/key-file-secret-store.ts'

describe('secrets at rest', () => {
  let folder: string
  const keyFile = () => join(folder, 'secrets.key')

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-secrets-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('any text is opened as it was sealed, also in the next life', () => {
    const store = KeyFileSecretStore.open(folder)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
        expect(KeyFileSecretStore.open(folder).open(store.seal(plain))).toBe(plain)
      }),
      { numRuns: 50 },
    )
  })

  it('show nothing of the secret, and not that two are the same', () => {
    const store = KeyFileSecretStore.open(folder)
    const [one, two] = [store.seal('Bearer canary'), store.seal('Bearer canary')]
    expect(one).not.toBe(two)
    expect(one + Buffer.from(one.slice(8), 'base64url').toString('latin1')).not.toContain('canary')
  })

  it('are refused when they were changed, cut off, never sealed, or sealed by another key', async () => {
    const store = KeyFileSecretStore.open(folder)
    const sealed = store.seal('canary')
    const changed = sealed.slice(0, 12) + (sealed[12] === 'A' ? 'B' : 'A') + sealed.slice(13)
    for (const wrong of [changed, sealed.slice(0, 20), 'canary', '']) {
      expect(() => store.open(wrong)).toThrow(expect.objectContaining({ code: 'AUTH_FAILED' }) as Error)
    }
    await rm(keyFile())
    expect(() => KeyFileSecretStore.open(folder).open(sealed)).toThrow(
      expect.objectContaining({ code: 'AUTH_FAILED' }) as Error,
    )
  })

  it.runIf(process.platform !== 'win32')(
    'have a key that nobody else can read, whatever its mode was',
    async () => {
      KeyFileSecretStore.open(folder)
      expect((await stat(keyFile())).mode & 0o777).toBe(0o600)
      await chmod(keyFile(), 0o644)
      KeyFileSecretStore.open(folder)
      expect((await stat(keyFile())).mode & 0o777).toBe(0o600)
    },
  )

  it('set a key that was cut off aside and go on with a new one', async () => {
    await writeFile(keyFile(), 'short')
    const store = KeyFileSecretStore.open(folder)
    expect(store.open(store.seal('x'))).toBe('x')
    const aside = (await readdir(folder)).find((name) => name.includes('.corrupt-'))
    expect(await readFile(join(folder, aside ?? ''), 'utf8')).toBe('short')
  })
})
