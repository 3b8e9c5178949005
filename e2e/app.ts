/**
 * The `app` fixture: one and the same window over two hosts. A specification says what a person does and sees; the
 * project it runs in says whether Electron (or its double) or the server in a browser is behind it.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test as base, expect } from '@playwright/test'
import type { Browser, Locator, Page } from '@playwright/test'
import type { CommandInput, CommandResult, Commands } from '../src/shared/contract/commands.ts'
import type { TaskRow } from '../src/shared/view.ts'
import { FaultServer } from '../test/fault-server/fault-server.ts'
import type { AppDriver } from './app-driver.ts'
import { startBrowser } from './browser.ts'
import { ElectronDriver } from './electron-driver.ts'
import { ServerDriver } from './server-driver.ts'

/** Which driver a project uses; set in playwright.config.ts. */
export type DriverKind = 'electron' | 'server'

/** The application as a specification sees it. */
export class App {
  readonly driver: AppDriver
  /** finished downloads arrive here */
  readonly downloads: string
  /** of the host; to be written to only while it is not running */
  readonly dataFolder: string
  /** faults of the window: what it threw, and what its policy of content refused */
  readonly complaints: string[] = []
  #page: Page | null = null

  constructor(driver: AppDriver, home: string) {
    this.driver = driver
    this.downloads = path.join(home, 'Downloads')
    this.dataFolder = path.join(home, 'data')
  }

  get page(): Page {
    if (this.#page === null) throw new Error('the app is not running')
    return this.#page
  }

  async start(): Promise<void> {
    this.#page = await this.driver.start()
    this.#page.on('pageerror', (error) => this.complaints.push(String(error)))
    this.#page.on('console', (message) => {
      if (message.type() === 'error' && message.text().includes('Content Security Policy')) {
        this.complaints.push(message.text())
      }
    })
    await this.untilShown()
  }

  /** Resolves when the window is there, after a start or a reload. */
  async untilShown(): Promise<void> {
    // it stands there once the host has answered with its settings
    await expect(this.page.getByRole('complementary').locator('.stepper')).toBeVisible()
  }

  async quit(): Promise<void> {
    this.#page = null
    await this.driver.quit()
  }

  async kill(): Promise<void> {
    this.#page = null
    await this.driver.kill()
  }

  call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    return this.driver.call(name, input)
  }

  /** Adds links past the window, for specifications that are about something else. Answers the ids. */
  async add(links: readonly string[], options: CommandInput<'tasks.add'>['options'] = {}): Promise<string[]> {
    const { results } = await this.call('tasks.add', { links: [...links], options })
    return results.map((result) => {
      if (result.kind === 'refused') throw new Error(`${result.link}: ${result.error.message}`)
      return result.id
    })
  }

  async taskRow(id: string): Promise<TaskRow | undefined> {
    return (await this.call('tasks.rows', { ids: [id] })).rows[0]
  }

  /** Resolves when the task is in this state; the host is asked, not the window. */
  async untilState(id: string, state: TaskRow['state'], timeout = 30_000): Promise<void> {
    await expect.poll(async () => (await this.taskRow(id))?.state, { timeout }).toBe(state)
  }

  /** The list's row with this title. */
  row(title: string): Locator {
    return this.page.getByRole('row', { name: title, exact: true })
  }

  /** What a row says: its status line. */
  status(title: string): Locator {
    return this.row(title).locator('.status')
  }

  /** The number beside a filter in the sidebar. */
  count(filter: string): Locator {
    return this.page.getByRole('navigation').getByRole('button', { name: filter }).locator('.count')
  }
}

interface TestFixtures {
  app: App
  /** where the links lead: a scripted server on loopback */
  source: FaultServer
}
interface WorkerFixtures {
  driverKind: DriverKind
  browserForServer: Browser | null
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  driverKind: ['server', { option: true, scope: 'worker' }],
  browserForServer: [
    async ({ driverKind }, use) => {
      const browser = driverKind === 'server' ? await startBrowser() : null
      await use(browser)
      await browser?.close()
    },
    { scope: 'worker' },
  ],
  // Playwright reads from this pattern which fixtures are needed: none
  source: async ({}, use) => {
    const source = await FaultServer.start()
    await use(source)
    await source.close()
  },
  app: async ({ driverKind, browserForServer }, use, testInfo) => {
    const home = await mkdtemp(path.join(os.tmpdir(), 'sluice-e2e-'))
    const driver =
      browserForServer === null || driverKind === 'electron'
        ? new ElectronDriver(home)
        : new ServerDriver(home, browserForServer)
    testInfo.annotations.push({ type: 'host', description: driver.description })
    const app = new App(driver, home)
    try {
      await app.start()
      await use(app)
      expect(app.complaints).toEqual([])
    } finally {
      await driver.quit()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    }
  },
})

export { expect }
