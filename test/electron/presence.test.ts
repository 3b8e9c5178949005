/** What the desktop shows of the service beside the window: tray, notifications, theme, staying awake. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { MenuItem, Notification, Tray } from 'electron'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FaultServer } from '../fault-server/fault-server.ts'
import { launchApp, makeDataFolder, program } from './launch-app.ts'
import type { RunningApp } from './launch-app.ts'

/** What the double writes down; the real Electron keeps it to itself. */
interface Recorded {
  __recorded: {
    trays: (Tray & { toolTip: string; menu: { items: MenuItem[] } })[]
    notifications: Notification[]
    openedPaths: string[]
  }
}

let server: FaultServer
let running: RunningApp

beforeEach(async () => {
  server = await FaultServer.start()
  running = await launchApp(await makeDataFolder())
  await mkdir(path.join(running.dataFolder, 'Downloads'), { recursive: true })
})
afterEach(async () => {
  await running.end()
  await server.close()
})

async function add(name: string): Promise<string> {
  const answer = await running.page.evaluate(
    ([link, folder]) =>
      window.sluice.call('tasks.add', { links: [link], options: { folder, connections: 1 } }),
    [server.url(`/${name}`), path.join(running.dataFolder, 'Downloads')] as const,
  )
  const result = answer.ok ? answer.value.results[0] : undefined
  if (result?.kind !== 'added') throw new Error(JSON.stringify(answer))
  return result.id
}

async function stateOf(id: string): Promise<string | undefined> {
  const answer = await running.page.evaluate((key) => window.sluice.call('tasks.rows', { ids: [key] }), id)
  return answer.ok ? answer.value.rows[0]?.state : undefined
}

describe(`on the ${program.kind}`, () => {
  test('the theme that is set is the theme of the desktop parts too', async () => {
    for (const theme of ['dark', 'light', 'system'] as const) {
      await running.page.evaluate((value) => window.sluice.call('settings.set', { theme: value }), theme)
      await expect.poll(() => running.app.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe(theme)
    }
  })

  test('the computer is kept awake while something downloads, and only then', async () => {
    const blockers = (): Promise<number> =>
      running.app.evaluate(
        ({ powerSaveBlocker }) =>
          Array.from({ length: 20 }, (_, id) => id).filter((id) => powerSaveBlocker.isStarted(id)).length,
      )
    server.serve('/file.dat', { length: 600_000, etag: '"a"', bytesPerSecond: 200_000 })
    const id = await add('file.dat')
    await expect.poll(blockers, { timeout: 10_000 }).toBe(1)
    await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe('COMPLETED')
    await expect.poll(blockers, { timeout: 10_000 }).toBe(0)
  })
})

describe.runIf(program.kind === 'electron double')('as the double records it', () => {
  const toolTip = (): Promise<string | undefined> =>
    running.app.evaluate((electron) => (electron as unknown as Recorded).__recorded.trays[0]?.toolTip)

  const choose = (item: string): Promise<void> =>
    running.app.evaluate((electron, id) => {
      const tray = (electron as unknown as Recorded).__recorded.trays[0]
      tray?.menu.items.find((each) => each.id === id)?.click()
    }, item)

  /** The window is shown once it has been painted, which may be later than its page answers. */
  const shown = async (): Promise<void> => {
    const isInFront = (): Promise<boolean> =>
      running.app.evaluate(({ BrowserWindow }) => {
        const window = BrowserWindow.getAllWindows()[0]
        return window !== undefined && window.isVisible() && window.isFocused()
      })
    await expect.poll(isInFront, { timeout: 10_000 }).toBe(true)
  }

  test('the tray says what runs, pauses all and resumes all', async () => {
    await expect.poll(toolTip).toBe('Sluice: nothing is downloading')
    server.serve('/file.dat', { length: 50_000_000, etag: '"a"', bytesPerSecond: 300_000 })
    const id = await add('file.dat')
    await expect.poll(toolTip, { timeout: 10_000 }).toMatch(/^Sluice: 1 downloading, \d/)
    await choose('pause-all')
    await expect.poll(() => stateOf(id), { timeout: 10_000 }).toBe('PAUSED')
    await expect.poll(toolTip, { timeout: 10_000 }).toBe('Sluice: nothing is downloading')
    await choose('resume-all')
    await expect.poll(() => stateOf(id), { timeout: 10_000 }).toBe('RUNNING')
  })

  test('the tray speaks the language that is set', async () => {
    const labels = (): Promise<string[] | undefined> =>
      running.app.evaluate((electron) =>
        (electron as unknown as Recorded).__recorded.trays[0]?.menu.items.map((item) => item.label),
      )
    expect(await labels()).toContain('Pause all')
    await running.page.evaluate(() => window.sluice.call('settings.set', { language: 'zh-CN' }))
    await expect.poll(labels).toContain('全部暂停')
  })

  test('a download that completes while the window is hidden is announced, and opened from there', async () => {
    await shown()
    await running.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
    server.serve('/file.dat', { length: 1000, etag: '"a"' })
    await add('file.dat')
    const announced = (): Promise<unknown> =>
      running.app.evaluate((electron) => {
        const { notifications } = (electron as unknown as Recorded).__recorded
        // the properties of the real class that an application can read
        return notifications.map(({ title, body }) => ({ title, body }))
      })
    await expect
      .poll(announced, { timeout: 10_000 })
      .toContainEqual({ title: 'Download complete', body: 'file.dat' })
    await running.app.evaluate((electron) => {
      const { notifications } = (electron as unknown as Recorded).__recorded
      const notification = notifications.find((each) => each.title === 'Download complete')
      // as Electron emits it when the first button was pressed
      notification?.emit('action', { actionIndex: 0 })
    })
    const opened = (): Promise<string[]> =>
      running.app.evaluate((electron) => (electron as unknown as Recorded).__recorded.openedPaths)
    await expect
      .poll(opened, { timeout: 10_000 })
      .toEqual([path.join(running.dataFolder, 'Downloads/file.dat')])
  })

  test('a download that completes in front of the user is not announced', async () => {
    await shown()
    server.serve('/file.dat', { length: 1000, etag: '"a"' })
    const id = await add('file.dat')
    await expect.poll(() => stateOf(id), { timeout: 10_000 }).toBe('COMPLETED')
    expect(
      await running.app.evaluate(
        (electron) => (electron as unknown as Recorded).__recorded.notifications.length,
      ),
    ).toBe(0)
  })
})
