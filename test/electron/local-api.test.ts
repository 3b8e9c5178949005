/** The local API of the app: off until its user turns it on, and then what the command line and programs talk to. */
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sluice } from '../cli/in-process.ts'
import { FaultServer } from '../fault-server/fault-server.ts'
import { launchApp, makeDataFolder } from './launch-app.ts'
import type { RunningApp } from './launch-app.ts'

let server: FaultServer
let running: RunningApp

beforeEach(async () => {
  server = await FaultServer.start()
  running = await launchApp(await makeDataFolder())
})
afterEach(async () => {
  await running.end()
  await server.close()
})

const client = (...args: string[]) => sluice([...args, '--data-dir', running.dataFolder])

async function set(patch: Record<string, unknown>): Promise<void> {
  const answer = await running.page.evaluate((given) => window.sluice.call('settings.set', given), patch)
  expect(answer.ok).toBe(true)
}

test('off, on, steered by the command line and by programs, off again', async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const downloads = path.join(running.dataFolder, 'Downloads')
  await mkdir(downloads, { recursive: true })
  expect((await client('list')).code).toBe(3)
  expect(existsSync(path.join(running.dataFolder, 'secret'))).toBe(false)

  await set({ downloadFolder: downloads, localApiPort: port, localApi: 'on' })
  await expect.poll(async () => (await client('status')).code, { timeout: 20_000 }).toBe(0)
  expect((await client('status')).stdout).toContain(`(the app, process`)
  server.serve('/file.dat', { length: 100_000, seed: 5 })
  expect((await client('add', server.url('/file.dat'))).code).toBe(0)
  await expect
    .poll(async () => (await client('list', '--json')).stdout, { timeout: 20_000 })
    .toContain('"state":"COMPLETED"')
  expect((await readFile(path.join(downloads, 'file.dat'))).length).toBe(100_000)
  // folders elsewhere, the app's own programs and the machine are not for programs to choose
  expect((await client('add', '-d', running.dataFolder, server.url('/x'))).stderr).toContain('(FORBIDDEN)')
  expect((await client('settings', 'localApi', 'off')).stderr).toContain('(FORBIDDEN)')
  const secret = (await client('secret')).stdout.trim()
  const ask = (target: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${target}`, { headers }).then(({ status }) => status)
  expect(await ask('/api/download/jobs')).toBe(401)
  expect(await ask('/api/download/jobs', { 'X-Secret-Key': secret })).toBe(200)
  expect(await ask('/api/download/jobs', { 'X-Secret-Key': secret, Origin: 'https://a.example' })).toBe(403)

  await set({ localApi: 'off' })
  await expect.poll(async () => (await client('list')).code).toBe(3)
  await expect(ask('/api/health')).rejects.toThrow()
})
