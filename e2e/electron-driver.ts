/** The built desktop app, on Electron where it is installed and on its double elsewhere. */
import { once } from 'node:events'
import path from 'node:path'
import { _electron } from '@playwright/test'
import type { ElectronApplication, Page } from '@playwright/test'
import type { Bridge } from '../src/shared/contract/bridge.ts'
import type { CommandInput, CommandResult, Commands } from '../src/shared/contract/commands.ts'
import { builtProgram } from '../test/built-program.ts'
import type { AppDriver } from './app-driver.ts'
import { electronEnvironment, electronProgram } from './electron-program.ts'

declare global {
  interface Window {
    readonly sluice: Bridge
  }
}

const root = path.join(import.meta.dirname, '..')

export class ElectronDriver implements AppDriver {
  readonly #program = electronProgram()
  readonly #home: string
  #app: ElectronApplication | null = null
  #page: Page | null = null

  constructor(home: string) {
    this.#home = home
  }

  get description(): string {
    return this.#program.kind
  }

  get pid(): number {
    return this.#app?.process().pid ?? 0
  }

  async start(): Promise<Page> {
    // Electron finds it by package.json, and would not say so plainly when it is missing
    builtProgram('main/index.cjs')
    this.#app = await _electron.launch({
      executablePath: this.#program.executablePath,
      args: [root, `--user-data-dir=${path.join(this.#home, 'data')}`],
      cwd: root,
      env: electronEnvironment(this.#home),
    })
    this.#page = await this.#app.firstWindow()
    await this.#page.setViewportSize({ width: 1280, height: 800 })
    return this.#page
  }

  async quit(): Promise<void> {
    const app = this.#app
    this.#app = null
    await app?.close()
  }

  async kill(): Promise<void> {
    const child = this.#app?.process()
    this.#app = null
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  async call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    if (this.#page === null) throw new Error('the app is not running')
    const answer = await this.#page.evaluate(
      // the name and its input belong together by this method's own type
      (command) => window.sluice.call(command.name, command.input as never),
      { name, input: input },
    )
    if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`)
    // the host answers a command with that command's result
    return answer.value as CommandResult<N>
  }
}
