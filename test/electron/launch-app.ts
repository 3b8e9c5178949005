/** Starts the built app in a data folder of its own, on Electron or on its double. */
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { _electron } from '@playwright/test'
import type { ElectronApplication, Page } from '@playwright/test'
import type { Bridge } from '../../src/shared/contract/bridge.ts'
import { builtProgram } from '../built-program.ts'
import { electronEnvironment, electronProgram } from '../../e2e/electron-program.ts'

declare global {
  interface Window {
    readonly sluice: Bridge
  }
}

export const root = path.join(import.meta.dirname, '../..')
export const program = electronProgram()

export interface RunningApp {
  app: ElectronApplication
  page: Page
  dataFolder: string
  /** Quits the app and removes its data folder. */
  end(): Promise<void>
}

export async function makeDataFolder(): Promise<string> {
  return mkdtemp(path.join(os.tmpdir(), 'sluice-electron-'))
}

/** Resolves when the first window's page is there. */
export async function launchApp(dataFolder: string, executablePath?: string): Promise<RunningApp> {
  // Electron finds it by package.json, and would not say so plainly when it is missing
  if (executablePath === undefined) builtProgram('main/index.cjs')
  const app = await _electron.launch({
    executablePath: executablePath ?? program.executablePath,
    args: [
      ...(executablePath === undefined ? [root] : []),
      `--user-data-dir=${dataFolder}`,
      // Chromium's own guard of the local network would hide from the tests what ours let through
      '--disable-features=LocalNetworkAccessChecks',
    ],
    cwd: root,
    env: electronEnvironment(dataFolder),
  })
  const page = await app.firstWindow()
  await page.waitForFunction(() => 'sluice' in window)
  return {
    app,
    page,
    dataFolder,
    end: async () => {
      await app.close()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
