/** `npm run dist` on this machine: what the package holds, how its fuses stand, and that it starts. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { cp, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { listPackage } from '@electron/asar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allowInspection, expectedFuses, readFuses } from '../../scripts/fuses.js'
import { FaultServer, fixedBody, seededBody, sha256Of } from '../fault-server/fault-server.ts'
import { launchApp, makeDataFolder, program, root } from './launch-app.ts'

let output: string
let unpacked: string

// Packaging for another platform than one's own needs tools that are downloaded.
describe.runIf(process.platform === 'linux')(`the package for Linux, around the ${program.kind}`, () => {
  beforeAll(() => {
    // inside the checkout: the double finds Node and its archive reader from where it lies
    mkdirSync(path.join(root, 'dist'), { recursive: true })
    output = mkdtempSync(path.join(root, 'dist/test-'))
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(root, 'scripts/dist.js'), '--linux', 'dir', '--output', output],
      { encoding: 'utf8' },
    )
    if (status !== 0) throw new Error(`packaging failed\n${stdout}\n${stderr}`)
    unpacked = path.join(output, 'linux-unpacked')
  }, 180_000)

  afterAll(() => rm(output, { recursive: true, force: true }))

  test('has every fuse as it is configured', async () => {
    expect(await readFuses(path.join(unpacked, 'sluice'))).toEqual(expectedFuses)
    expect(expectedFuses).toMatchObject({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      grantFileProtocolExtraPrivileges: false,
    })
  })

  test('holds what runs, and nothing of how it is made', () => {
    const files = listPackage(path.join(unpacked, 'resources/app.asar'), { isPack: false })
    for (const needed of ['index.cjs', 'worker.cjs', 'store-thread.cjs']) {
      expect(files).toContain(`/out/main/${needed}`)
    }
    expect(files).toContain('/out/preload/index.cjs')
    expect(files).toContain('/out/renderer/index.html')
    expect(files).toContain('/resources/tray.png')
    const unwanted =
      /^\/(src|test|e2e|bench|scripts|docs)\/|\.(map|ts)$|\.test\.|electron-double|\/node_modules\/(electron|node|react|vitest|@playwright)\//
    expect(files.filter((file) => unwanted.test(file))).toEqual([])
  })

  test('has the native part of the database for this platform alone, outside the archive', async () => {
    const folder = path.join(unpacked, 'resources/app.asar.unpacked')
    const found = await readdir(folder, { recursive: true })
    expect(found.filter((file) => file.endsWith('.node')).map((file) => path.basename(file))).toEqual([
      `linux-${process.arch}.node`,
    ])
  })

  test('starts, and downloads by a worker from the package', async () => {
    const drivable = path.join(output, 'drivable')
    await cp(unpacked, drivable, { recursive: true })
    await allowInspection(path.join(drivable, 'sluice'))
    const running = await launchApp(await makeDataFolder(), path.join(drivable, 'sluice'))
    const server = await FaultServer.start()
    try {
      expect(await running.app.evaluate(({ app }) => app.isPackaged)).toBe(true)
      const { devTools } = await running.app.evaluate(({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents
        // an accessor that Electron has and does not document
        return (
          contents as unknown as { getLastWebPreferences(): { devTools?: boolean } }
        ).getLastWebPreferences()
      })
      expect(devTools).toBe(false)
      server.serve('/file.dat', { length: 100_000, seed: 3, etag: '"a"' })
      const added = await running.page.evaluate(
        ([link, folder]) => window.sluice.call('tasks.add', { links: [link], options: { folder } }),
        [server.url('/file.dat'), running.dataFolder] as const,
      )
      expect(added).toMatchObject({ ok: true })
      const file = path.join(running.dataFolder, 'file.dat')
      await expect.poll(() => existsSync(file), { timeout: 10_000 }).toBe(true)
      expect(sha256Of(fixedBody(readFileSync(file)))).toBe(sha256Of(seededBody(100_000, 3)))
    } finally {
      await running.end()
      await server.close()
    }
  })
})
