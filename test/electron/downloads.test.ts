/** Downloads on the desktop host, through the bridge and real utility processes. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FaultServer, fixedBody, seededBody, sha256Of } from '../fault-server/fault-server.ts'
import type { TaskRow } from '../../src/shared/view.ts'
import { launchApp, makeDataFolder, program } from './launch-app.ts'
import type { RunningApp } from './launch-app.ts'

let server: FaultServer
let running: RunningApp

beforeEach(async () => {
  server = await FaultServer.start()
  running = await launchApp(await makeDataFolder())
  await mkdir(folder())
})
afterEach(async () => {
  await running.end()
  await server.close()
})

const folder = (): string => path.join(running.dataFolder, 'Downloads')

/** Adds a link through the bridge and answers the id of its task. */
async function add(link: string): Promise<string> {
  const answer = await running.page.evaluate((options) => window.sluice.call('tasks.add', options), {
    links: [link],
    // one, so that a rate per connection is the rate of the download
    options: { folder: folder(), connections: 1 },
  })
  if (!answer.ok) throw new Error(answer.error.message)
  const [result] = answer.value.results
  if (result?.kind !== 'added') throw new Error(`refused: ${JSON.stringify(result)}`)
  return result.id
}

async function row(id: string): Promise<TaskRow | undefined> {
  const answer = await running.page.evaluate((key) => window.sluice.call('tasks.rows', { ids: [key] }), id)
  return answer.ok ? answer.value.rows[0] : undefined
}

const stateOf = async (id: string): Promise<string | undefined> => (await row(id))?.state

describe(`on the ${program.kind}`, () => {
  test('a file arrives whole by way of a utility process, and can be shown and opened', async () => {
    server.serve('/file.dat', { length: 3_000_000, seed: 5, etag: '"a"' })
    const id = await add(server.url('/file.dat'))
    await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe('COMPLETED')
    const file = path.join(folder(), 'file.dat')
    expect(sha256Of(fixedBody(readFileSync(file)))).toBe(sha256Of(seededBody(3_000_000, 5)))

    await running.app.evaluate(({ shell }) => {
      const deeds: string[] = []
      Object.assign(globalThis, { deeds })
      shell.showItemInFolder = (shown) => void deeds.push(`show ${shown}`)
      shell.openPath = (opened) => Promise.resolve((deeds.push(`open ${opened}`), ''))
    })
    const answers = await running.page.evaluate(
      async (key) => [
        await window.sluice.call('desktop.showInFolder', { id: key }),
        await window.sluice.call('desktop.openFile', { id: key }),
      ],
      id,
    )
    expect(answers).toEqual([
      { ok: true, value: {} },
      { ok: true, value: {} },
    ])
    expect(await running.app.evaluate(() => (globalThis as { deeds?: string[] }).deeds)).toEqual([
      `show ${file}`,
      `open ${file}`,
    ])
  })

  test('quitting in the middle checkpoints; the next start goes on with what is missing', async () => {
    server.serve('/file.dat', { length: 20_000_000, seed: 6, etag: '"a"', bytesPerSecond: 2_000_000 })
    const id = await add(server.url('/file.dat'))
    await server.until(() => server.bodyBytesSent('/file.dat') > 6_000_000)
    const exited = once(running.app.process(), 'exit')
    await running.app.close()
    // 1 would say that the service did not stop within its time
    expect(await exited).toEqual([0, null])

    server.serve('/file.dat', { length: 20_000_000, seed: 6, etag: '"a"' })
    running = await launchApp(running.dataFolder)
    await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe('COMPLETED')
    expect(sha256Of(fixedBody(readFileSync(path.join(folder(), 'file.dat'))))).toBe(
      sha256Of(seededBody(20_000_000, 6)),
    )
    // nothing but what was on its way when the connection was cut is sent twice
    expect(server.bodyBytesSent('/file.dat')).toBeLessThan(20_000_000 + 4 * 1024 * 1024)
    expect(await readdir(folder())).toEqual(['file.dat'])
  })

  test('a host that is killed loses nothing: its worker ends with it, the list is right, the file completes', async () => {
    server.serve('/file.dat', { length: 20_000_000, seed: 7, etag: '"a"', bytesPerSecond: 2_000_000 })
    const id = await add(server.url('/file.dat'))
    await server.until(() => server.bodyBytesSent('/file.dat') > 6_000_000)
    const host = running.app.process()
    host.kill('SIGKILL')
    await once(host, 'exit')

    server.serve('/file.dat', { length: 20_000_000, seed: 7, etag: '"a"' })
    running = await launchApp(running.dataFolder)
    await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe('COMPLETED')
    expect(sha256Of(fixedBody(readFileSync(path.join(folder(), 'file.dat'))))).toBe(
      sha256Of(seededBody(20_000_000, 7)),
    )
    expect(await readdir(folder())).toEqual(['file.dat'])
  })

  test('a renderer that crashes or is reloaded does not disturb what downloads', async () => {
    server.serve('/file.dat', { length: 12_000_000, seed: 8, etag: '"a"', bytesPerSecond: 1_500_000 })
    const id = await add(server.url('/file.dat'))
    await server.until(() => server.bodyBytesSent('/file.dat') > 1_000_000)
    await running.page.reload()
    await running.page.waitForFunction(() => 'sluice' in window)
    const crashed = running.page.waitForEvent('crash')
    await running.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
    )
    await crashed
    // Playwright's page is lost with the renderer; the window it belonged to is asked itself
    const state = (): Promise<unknown> =>
      running.app.evaluate(
        ({ BrowserWindow }, key) =>
          BrowserWindow.getAllWindows()[0]
            ?.webContents.executeJavaScript(
              `window.sluice?.call('tasks.rows', { ids: ['${key}'] }).then((each) => each.value.rows[0].state)`,
            )
            .catch(() => undefined),
        id,
      )
    await expect.poll(state, { timeout: 20_000 }).toBe('COMPLETED')
    expect(sha256Of(fixedBody(readFileSync(path.join(folder(), 'file.dat'))))).toBe(
      sha256Of(seededBody(12_000_000, 8)),
    )
  })

  test('closing the window while something downloads asks; kept going, the app stays until it is quit', async () => {
    server.serve('/file.dat', { length: 50_000_000, seed: 9, etag: '"a"', bytesPerSecond: 500_000 })
    const id = await add(server.url('/file.dat'))
    await expect.poll(() => stateOf(id)).toBe('RUNNING')
    await running.app.evaluate(({ dialog }) => {
      Object.assign(globalThis, { asked: 0 })
      dialog.showMessageBox = () => {
        Object.assign(globalThis, { asked: (globalThis as unknown as { asked: number }).asked + 1 })
        return Promise.resolve({ response: 0, checkboxChecked: true })
      }
    })
    // the desktop host hears once a second what runs, together with the page
    await running.page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const end = window.sluice.on('stats', (stats) => {
            if (stats.running !== 1) return
            end()
            resolve()
          })
        }),
    )
    const close = (): Promise<boolean | undefined> =>
      running.app.evaluate(async ({ BrowserWindow }) => {
        const window = BrowserWindow.getAllWindows()[0]
        const hidden = new Promise<void>((resolve) => window?.once('hide', resolve))
        window?.close()
        await hidden
        return window?.isDestroyed() === false && !window.isVisible()
      })
    expect(await close()).toBe(true)
    expect(await stateOf(id)).toBe('RUNNING')
    // remembered: not asked again
    await running.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.show())
    expect(await close()).toBe(true)
    expect(await running.app.evaluate(() => (globalThis as { asked?: number }).asked)).toBe(1)
  })
})
