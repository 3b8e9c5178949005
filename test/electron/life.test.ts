/** The desktop app over its life: one instance, a window that remembers, a renderer that may crash, a clean end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { launchApp, makeDataFolder, program, root } from './launch-app.ts'
import type { RunningApp } from './launch-app.ts'

let running: RunningApp
beforeEach(async () => {
  running = await launchApp(await makeDataFolder())
})
afterEach(() => running.end())

describe(`on the ${program.kind}`, () => {
  test('a second start hands its links to the first and ends; its options are not obeyed', async () => {
    await running.page.evaluate(async () => {
      window.sluice.on('links.offered', ({ links }) => Object.assign(window, { offered: links }))
      const query = { filter: 'all', search: '', sort: 'queue', order: 'asc', offset: 0, limit: 10 } as const
      await window.sluice.watchList(query)
    })
    const second = spawn(
      program.executablePath,
      [
        root,
        `--user-data-dir=${running.dataFolder}`,
        'https://host.example/a',
        'sluice:https://host.example/b',
        'file:///etc/hosts',
      ],
      { cwd: root, stdio: 'ignore' },
    )
    const [code] = (await once(second, 'exit')) as [number | null]
    expect(code).toBe(0)
    await running.page.waitForFunction(() => 'offered' in window)
    expect(await running.page.evaluate(() => (window as { offered?: string[] }).offered)).toEqual([
      'https://host.example/a',
      'https://host.example/b',
    ])
    expect(running.app.windows()).toHaveLength(1)
  })

  test('a renderer that crashes comes back by itself, with a working bridge', async () => {
    const crashed = running.page.waitForEvent('crash')
    await running.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
    )
    await crashed
    const answer = (): Promise<unknown> =>
      running.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]
          ?.webContents.executeJavaScript(`window.sluice?.call('app.info', {})`)
          .catch(() => undefined),
      )
    await expect.poll(answer, { timeout: 10_000 }).toMatchObject({ ok: true })
  })

  test('a page that is reloaded goes on', async () => {
    await running.page.reload()
    await running.page.waitForFunction(() => 'sluice' in window)
    const answer = await running.page.evaluate(() => window.sluice.call('app.info', {}))
    expect(answer).toMatchObject({ ok: true })
  })

  test('the window comes back where and as large as it was', async () => {
    const { app, dataFolder } = running
    const bounds = { x: 40, y: 60, width: 700, height: 500 }
    await app.evaluate(
      ({ BrowserWindow }, value) => BrowserWindow.getAllWindows()[0]?.setBounds(value),
      bounds,
    )
    const saved = async (): Promise<unknown> =>
      (JSON.parse(await readFile(path.join(dataFolder, 'window-state.json'), 'utf8')) as { bounds: unknown })
        .bounds
    await expect.poll(() => saved().catch(() => undefined), { timeout: 10_000 }).toEqual(bounds)
    await app.close()
    running = await launchApp(dataFolder)
    const again = await running.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.getBounds(),
    )
    expect(again).toEqual(bounds)
  })

  test('quitting ends the app with code 0, and nothing of it is left running', async () => {
    const child = running.app.process()
    const exited = once(child, 'exit')
    await running.app.close()
    expect(await exited).toEqual([0, null])
    await rm(running.dataFolder, { recursive: true, force: true })
  })

  test('closing the window of an idle app quits it', async () => {
    const exited = once(running.app.process(), 'exit')
    // whether this is answered is open: the channel of the answer goes with the app
    await running.app
      .evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
      .catch(() => null)
    expect(await exited).toEqual([0, null])
  })
})
