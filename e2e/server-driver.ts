/** The built server as a process of its own, and its window in a page of the browser. */
import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import type { CommandInput, CommandResult, Commands } from '../src/shared/contract/commands.ts'
import { errorEnvelopeSchema } from '../src/shared/contract/error-envelope.ts'
import { builtProgram } from '../test/built-program.ts'
import type { AppDriver } from './app-driver.ts'

const root = path.join(import.meta.dirname, '..')
const pinnedNode = path.join(
  root,
  'node_modules/node/bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
)

export class ServerDriver implements AppDriver {
  readonly description = 'server in Chromium'
  readonly #home: string
  readonly #browser: Browser
  /** 0 until the first start: later ones come back on the same port, as a user's would */
  #port = 0
  #link = ''
  #process: ChildProcessByStdio<null, Readable, Readable> | null = null
  #context: BrowserContext | null = null

  constructor(home: string, browser: Browser) {
    this.#home = home
    this.#browser = browser
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  get port(): number {
    return this.#port
  }

  /** Address of the window, with the secret in its fragment. */
  get link(): string {
    return this.#link
  }

  get secret(): string {
    return new URLSearchParams(new URL(this.#link).hash.slice(1)).get('secret') ?? ''
  }

  async start(): Promise<Page> {
    await this.startHost()
    await this.#context?.close()
    this.#context = await this.#browser.newContext({
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const page = await this.#context.newPage()
    await page.goto(this.#link)
    return page
  }

  /** Starts the host alone: a page that is open finds it again by itself. */
  async startHost(): Promise<void> {
    const child = spawn(
      pinnedNode,
      [
        builtProgram('main/server.cjs'),
        '--port',
        String(this.#port),
        '--data-dir',
        path.join(this.#home, 'data'),
        '--download-root',
        path.join(this.#home, 'Downloads'),
      ],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'] ?? '', HOME: this.#home, LANG: 'en_US.UTF-8' },
      },
    )
    this.#process = child
    this.#link = await linkOf(child)
    this.#port = Number(new URL(this.#link).port)
  }

  async quit(): Promise<void> {
    await this.#context?.close()
    this.#context = null
    await this.#end('SIGTERM')
  }

  async kill(): Promise<void> {
    await this.#context?.close()
    this.#context = null
    await this.killHost()
  }

  /** Kills the host alone; the page stays and sees it go. */
  async killHost(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  async call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/rpc/${name}`, {
      method: 'POST',
      headers: { 'X-Secret-Key': this.secret, 'Content-Type': 'application/json' },
      body: JSON.stringify(input),
    })
    const body: unknown = await response.json()
    if (!response.ok) throw new Error(`${name}: ${errorEnvelopeSchema.parse(body).message}`)
    // the server answers a command with that command's result
    return body as CommandResult<N>
  }
}

/** The link that the server prints when it listens. Rejects with what it said when it ends before. */
function linkOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    let complaints = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const link = /^Sluice is at (\S+)$/m.exec(said)?.[1]
      if (link !== undefined) resolve(link)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended (${String(code)}): ${complaints}`)))
  })
}
