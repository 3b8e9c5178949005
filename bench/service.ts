/** `sluice serve` as a process of its own, driven over its REST API as a program would. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { sluice } from './rows.ts'

const secret = 'benchmark-benchmark'
const patienceMs = 120_000

/** Looks every 10 ms until the condition holds; rejects after two minutes. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited too long until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export interface Job {
  job_id: string
  state: string
  done_bytes: number
}

export class Service {
  readonly #process: ChildProcess
  readonly #address: string

  private constructor(child: ChildProcess, address: string) {
    this.#process = child
    this.#address = address
  }

  /** Starts on a free port; the folders may be those of an earlier one. */
  static async start(dataFolder: string, downloads: string): Promise<Service> {
    const child = spawn(
      sluice,
      ['serve', '--port', '0', '--data-dir', dataFolder, '--download-root', downloads],
      // a group of its own, so that all its processes can be killed at once
      { detached: true, env: { ...process.env, SLUICE_SECRET: secret }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (output += text.toString()))
    const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
    await until(() => address() !== undefined || child.exitCode !== null, 'the server was up')
    const found = address()
    if (found === undefined) throw new Error(`the server did not start: ${output.slice(-2000)}`)
    return new Service(child, found)
  }

  async #ask(method: string, path: string, body?: unknown): Promise<Job> {
    const answer = await fetch(`${this.#address}/api/download${path}`, {
      method,
      headers: { 'X-Secret-Key': secret, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Job
  }

  /** Queues a download; answers the id of its job. */
  async add(url: string, connections: number): Promise<string> {
    return (await this.#ask('POST', '', { url, connections })).job_id
  }

  job(id: string): Promise<Job> {
    return this.#ask('GET', `/jobs/${id}`)
  }

  async order(id: string, order: 'pause' | 'resume'): Promise<void> {
    await this.#ask('POST', `/jobs/${id}/${order}`)
  }

  async reaches(id: string, state: string): Promise<void> {
    await until(async () => (await this.job(id)).state === state, `the job was ${state}`)
  }

  /** Ends the server and all its processes with this signal. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { pid } = this.#process
    if (pid === undefined || this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const gone = once(this.#process, 'exit')
    process.kill(-pid, signal)
    await gone
  }
}
