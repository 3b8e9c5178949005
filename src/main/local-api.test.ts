import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSecret } from '../adapters/secret-file.ts'
import type { SendEvent } from '../core/service.ts'
import { defaultSettings } from '../shared/default-settings.ts'
import type { Settings } from '../shared/settings.ts'
import { LocalApi } from './local-api.ts'

let dataFolder: string
let settings: Settings
let listeners: SendEvent[]
let problems: unknown[]
let api: LocalApi

/** As much of a task service as the settings need; whatever else is asked of it is answered with nothing. */
const service = {
  connect: (send: SendEvent) => {
    listeners.push(send)
    return {
      call: (name: string) =>
        Promise.resolve({ ok: true as const, value: name === 'settings.get' ? settings : {} }),
      watchList: () => Promise.resolve({ ok: true as const, value: null }),
      close: () => null,
    }
  },
}

beforeEach(async () => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'sluice-local-api-'))
  listeners = []
  problems = []
  settings = { ...defaultSettings(path.join(dataFolder, 'Downloads')), localApiPort: await freePort() }
  api = new LocalApi({ service, dataFolder, version: '0.0.0', onProblem: (error) => problems.push(error) })
  await api.begin()
})
afterEach(async () => {
  await api.stop()
  rmSync(dataFolder, { recursive: true })
})

/** A machine that does something else as well takes longer than the second that is usual. */
const patience = { timeout: 15_000 }

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function change(patch: Partial<Settings>): void {
  settings = { ...settings, ...patch }
  for (const send of listeners) send('settings.changed', settings)
}

const status = (target = '/api/health', secret = ''): Promise<number | null> =>
  fetch(`http://127.0.0.1:${settings.localApiPort}${target}`, { headers: { 'X-Secret-Key': secret } }).then(
    (response) => response.status,
    () => null,
  )
const isAnnounced = (): boolean => existsSync(path.join(dataFolder, 'host.json'))

test('nothing listens and nothing is written until the setting is on; off again, all of it is gone', async () => {
  expect(await status()).toBeNull()
  expect(readSecret(dataFolder)).toBeNull()

  change({ localApi: 'on' })
  await expect.poll(isAnnounced, patience).toBe(true)
  expect(await status()).toBe(200)
  expect(await status('/api/config')).toBe(401)
  expect(await status('/api/config', readSecret(dataFolder) ?? '')).toBe(200)
  // the window is not served to browsers: it is here already
  expect(await status('/', readSecret(dataFolder) ?? '')).toBe(404)

  change({ localApi: 'off' })
  await expect.poll(() => status(), patience).toBeNull()
  await expect.poll(isAnnounced, patience).toBe(false)
})

test('another port is moved to; one that is taken is told, and tried again when it changes', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const other = await freePort()
  change({ localApi: 'on', localApiPort: (taken.address() as AddressInfo).port })
  await expect.poll(() => problems, patience).toMatchObject([{ code: 'CONFLICT' }])
  change({ localApiPort: other })
  await expect.poll(isAnnounced, patience).toBe(true)
  expect(await status()).toBe(200)
  taken.close()
})
