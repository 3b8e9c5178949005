import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyedSecretStore } from '../../src/adapters/keyed-secret-store.ts'
import type { KeyGuard } from '../../src/adapters/secret-key.ts'
import { existingPlainKey, openGuardedKey, openPlainKey } from '../../src/adapters/secret-key.ts'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import type { Task } from '../../src/shared/task/model.ts'
import { sampleStep, sampleTask } from './sample-task.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-secrets-'))
})
afterEach(() => rm(folder, { recursive: true }))

const stored = () => new KeyedSecretStore([openPlainKey(folder)])

describe('a sealed secret', () => {
  const keyFile = () => join(folder, 'secrets.key')

  it('is opened as it was sealed, also in the next life', () => {
    const store = stored()
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
        expect(stored().open(store.seal(plain))).toBe(plain)
      }),
      { numRuns: 50 },
    )
  })

  it('shows nothing of the secret, and not that two are the same', () => {
    const store = stored()
    const [one, two] = [store.seal('Bearer canary'), store.seal('Bearer canary')]
    expect(one).not.toBe(two)
    expect(one + Buffer.from(one.slice(8), 'base64url').toString('latin1')).not.toContain('canary')
  })

  it('is refused when it was changed, cut off, never sealed, or sealed by another key', async () => {
    const store = stored()
    const sealed = store.seal('canary')
    const changed = sealed.slice(0, 12) + (sealed[12] === 'A' ? 'B' : 'A') + sealed.slice(13)
    for (const wrong of [changed, sealed.slice(0, 20), 'canary', '']) {
      expect(() => store.open(wrong)).toThrow(expect.objectContaining({ code: 'AUTH_FAILED' }) as Error)
    }
    await rm(keyFile())
    expect(() => stored().open(sealed)).toThrow(expect.objectContaining({ code: 'AUTH_FAILED' }) as Error)
  })

  it('is opened by any key of the folder', () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)]
    const sealed = new KeyedSecretStore([old]).seal('canary')
    expect(new KeyedSecretStore([fresh, old]).open(sealed)).toBe('canary')
  })

  it.runIf(process.platform !== 'win32')(
    'has a key that nobody else can read, whatever its mode was',
    async () => {
      openPlainKey(folder)
      expect((await stat(keyFile())).mode & 0o777).toBe(0o600)
      await chmod(keyFile(), 0o644)
      openPlainKey(folder)
      expect((await stat(keyFile())).mode & 0o777).toBe(0o600)
    },
  )

  it('outlives a key that was cut off: it is set aside, and a new one is made', async () => {
    await writeFile(keyFile(), 'short')
    const store = stored()
    expect(store.open(store.seal('x'))).toBe('x')
    const aside = (await readdir(folder)).find((name) => name.includes('.corrupt-'))
    expect(await readFile(join(folder, aside ?? ''), 'utf8')).toBe('short')
  })
})

describe('a key that the system keeps', () => {
  /** A key store that reverses what it is given, for one user. */
  const guardOf = (user: string): KeyGuard => ({
    isAvailable: () => Promise.resolve(true),
    wrap: (plain) => Promise.resolve(Buffer.concat([Buffer.from(`${user} `), Buffer.from(plain).reverse()])),
    unwrap: (wrapped) => {
      const text = Buffer.from(wrapped).toString()
      if (!text.startsWith(`${user} `)) return Promise.reject(new Error('not yours'))
      return Promise.resolve(
        Buffer.from(text.slice(user.length + 1))
          .reverse()
          .toString(),
      )
    },
  })
  const none: KeyGuard = { ...guardOf('nobody'), isAvailable: () => Promise.resolve(false) }

  it('is in no file as it is, and the same in the next life', async () => {
    const key = await openGuardedKey(folder, guardOf('me'))
    expect(await openGuardedKey(folder, guardOf('me'))).toEqual(key)
    for (const name of await readdir(folder)) {
      expect((await readFile(join(folder, name))).includes(Buffer.from(key ?? []))).toBe(false)
    }
  })

  it('is not there where the system has no key store', async () => {
    expect(await openGuardedKey(folder, none)).toBeNull()
    expect(await readdir(folder)).toEqual([])
  })

  it('takes the plain one over, so that what was sealed before can be opened', async () => {
    const plain = openPlainKey(folder)
    expect(await openGuardedKey(folder, guardOf('me'))).toEqual(plain)
    expect(existingPlainKey(folder)).toBeNull()
  })

  it('that can no longer be unwrapped is set aside, and a new one is made', async () => {
    const key = await openGuardedKey(folder, guardOf('me'))
    expect(await openGuardedKey(folder, guardOf('someone else'))).not.toEqual(key)
    expect((await readdir(folder)).filter((name) => name.includes('.corrupt-'))).toHaveLength(1)
  })
})

describe('secrets in the database', () => {
  const canary = 'canary-71c3'
  const headers: [string, string][] = [
    ['Accept', '*/*'],
    ['Cookie', `session=${canary}`],
  ]

  function secretTask(): Task {
    const { parameters } = sampleTask('a')
    const fetch = { url: 'https://example.org/a', headers, facts: null }
    const place = { domain: 'example.org', includesSubdomains: false, path: '/', secure: true }
    const cookie = { ...place, name: 'c', value: canary, expiresAt: null }
    const proxy = `http://user:${canary}@proxy.test:1`
    const secret = { ...parameters, headers, proxy, access: { cookies: [cookie] } }
    const step = sampleStep('a', {
      kind: 'download',
      input: { kind: 'fetch', source: fetch, checksum: null },
    })
    const planned = { kind: 'download' as const, stage: 0, optional: false, label: '', weight: 1, size: null }
    return sampleTask('a', {
      parameters: secret,
      steps: [step],
      request: {
        ...{ kind: 'edit', at: 1, parameters: secret, keepsData: true, deleteFiles: false },
        ...{ startAfterEdit: true, thenPause: false },
        plan: {
          ...{ title: 'a', service: 's' },
          files: [
            {
              ...{ name: 'a', size: null, selected: true },
              steps: [{ ...planned, input: { kind: 'fetch', source: fetch, checksum: null } }],
            },
          ],
        },
      },
    })
  }

  async function everyByte(): Promise<string> {
    const names = await readdir(folder)
    const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))
    return files.join('\n')
  }

  it('invariant 23: are sealed wherever a task holds them, and given back as they were', async () => {
    const store = await SqliteTaskStore.open({ dataFolder: folder })
    const task = secretTask()
    await store.commit([{ kind: 'put-task', task }])
    expect(await store.load('a')).toEqual(task)
    expect(await everyByte()).not.toContain(canary)
    await store.close()
    const next = await SqliteTaskStore.open({ dataFolder: folder })
    expect((await next.loadLive()).tasks).toEqual([task])
    await next.close()
  })

  it('whose key is lost cost neither the task nor themselves, and are told', async () => {
    const first = await SqliteTaskStore.open({ dataFolder: folder, guardedKey: randomBytes(32) })
    await first.commit([{ kind: 'put-task', task: secretTask() }])
    await first.close()
    const second = await SqliteTaskStore.open({ dataFolder: folder, guardedKey: randomBytes(32) })
    const { tasks, quarantined } = await second.loadLive()
    expect(quarantined).toMatchObject([{ table: 'secrets', key: 'a' }])
    expect(tasks).toMatchObject([{ id: 'a', title: 'Task a' }])
    expect(JSON.stringify(tasks)).not.toContain(canary)
    await second.commit(tasks.map((task) => ({ kind: 'put-task', task: { ...task, title: 'again' } })))
    await second.close()
    expect(await everyByte()).not.toContain(canary)
  })

  it('are not needed by a list without any: no key is made', async () => {
    const store = await SqliteTaskStore.open({ dataFolder: folder })
    await store.commit([{ kind: 'put-task', task: sampleTask('a') }])
    await store.close()
    expect(await readdir(folder)).not.toContain('secrets.key')
  })
})
