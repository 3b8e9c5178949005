/** A real server in this process, on a free port and in folders of its own, and the ways to talk to it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CommandInput, CommandResult, Commands } from '../../src/shared/contract/commands.ts'
import { createLog } from '../../src/http/log.ts'
import type { ServeOptions } from '../../src/server/options.ts'
import { serve } from '../../src/server/serve.ts'
import type { RunningServer } from '../../src/server/serve.ts'

export class TestServer {
  readonly base: string
  readonly server: RunningServer
  /** everything that was logged */
  readonly log: string[]

  private constructor(base: string, server: RunningServer, log: string[]) {
    this.base = base
    this.server = server
    this.log = log
  }

  /** `base` given: the folders of an earlier one. */
  static async start(options: Partial<ServeOptions> & { base?: string } = {}): Promise<TestServer> {
    const { base = await mkdtemp(path.join(tmpdir(), 'sluice-server-')), ...rest } = options
    const log: string[] = []
    const server = await serve(
      {
        host: '127.0.0.1',
        port: 0,
        dataFolder: path.join(base, 'data'),
        downloadRoots: [path.join(base, 'downloads')],
        open: false,
        secret: null,
        debugApi: false,
        allowedOrigins: [],
        ...rest,
      },
      { version: '0.0.0-test', log: createLog((line) => log.push(line)) },
    )
    return new TestServer(base, server, log)
  }

  get port(): number {
    return this.server.port
  }

  get downloads(): string {
    return path.join(this.base, 'downloads')
  }

  /** A request as a program sends it, with the secret. */
  fetch(target: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${target}`, {
      ...init,
      headers: {
        'X-Secret-Key': this.server.secret,
        ...(init.headers as Record<string, string> | undefined),
      },
    })
  }

  post(target: string, body: unknown): Promise<Response> {
    return this.fetch(target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  async call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    const response = await this.post(`/rpc/${name}`, input)
    const body: unknown = await response.json()
    if (!response.ok) throw new Error(`${name}: ${JSON.stringify(body)}`)
    // the server answers a command with that command's result
    return body as CommandResult<N>
  }

  /** All that a hostile request could have changed. */
  async state(): Promise<string> {
    const list = await this.call('list.query', {
      ...{ filter: 'all', search: '', sort: 'created', order: 'asc', offset: 0, limit: 500 },
    })
    const settings = await this.call('settings.get', {})
    const history = await this.call('history.list', { limit: 1000 })
    return JSON.stringify({ list, settings, history })
  }

  /** Stops the server; its folders stay for a next one. */
  async stop(): Promise<void> {
    await this.server.stop()
  }

  async end(): Promise<void> {
    await this.stop()
    await rm(this.base, { recursive: true, force: true })
  }
}

export interface RawAnswer {
  /** 0: the connection ended without an answer */
  status: number
  head: string
  body: string
}

/** Sends these bytes and reads until the server ends the connection; `Connection: close` is the sender's to say. */
export function rawRequest(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const received: Buffer[] = []
    socket.setTimeout(20_000, () =>
      socket.destroy(new Error('the server did not end the connection in 20 s')),
    )
    socket.on('data', (chunk) => received.push(chunk))
    // a server that refuses early may reset while we still send: what it said before counts
    socket.on('error', (error) => (received.length === 0 ? reject(error) : resolve(parseAnswer(received))))
    socket.on('close', () => resolve(parseAnswer(received)))
    socket.write(bytes)
  })
}

function parseAnswer(received: readonly Buffer[]): RawAnswer {
  const text = Buffer.concat(received).toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const head = end < 0 ? text : text.slice(0, end)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: end < 0 ? '' : text.slice(end + 4),
  }
}

/** A request text with the headers that every honest one has, unless they are replaced (null leaves one out). */
export function requestText(
  port: number,
  options: {
    method?: string
    target?: string
    headers?: Readonly<Record<string, string | null>>
    body?: string
  } = {},
): string {
  const { method = 'GET', target = '/api/health', body } = options
  const headers: Record<string, string | null> = {
    Host: `127.0.0.1:${port}`,
    Connection: 'close',
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...options.headers,
  }
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  )
  return [`${method} ${target} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n')
}
