/**
 * The demonstration: a sample server, a host with the samples queued, its window. Everything lies in a folder of its
 * own that goes when it ends. With Electron's program as its argument the list is filled first and then opened there,
 * since one data folder has one host at a time.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { openInBrowser } from '../../src/server/open-in-browser.ts'
import { FaultServer } from '../../test/fault-server/fault-server.ts'
import type { Sample } from './samples.ts'
import { serveSamples } from './samples.ts'

const project = path.join(import.meta.dirname, '../..')
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const home = await mkdtemp(path.join(os.tmpdir(), 'sluice-demo-'))
const source = await FaultServer.start()
let running: ChildProcess | null = null
let isOver = false
const endEarly = (): void => {
  isOver = true
  running?.kill('SIGTERM')
}
process.on('SIGINT', endEarly)
process.on('SIGTERM', endEarly)
try {
  await demonstrate(process.argv[2])
} finally {
  await source.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}

async function demonstrate(electron: string | undefined): Promise<void> {
  const samples = serveSamples(source)
  const { server, link } = await startServer()
  for (const sample of samples) await queue(sample, link)
  say(`${samples.length} samples are queued:`)
  for (const { tells } of samples) say(`  - ${tells}`)
  say(`They are saved in ${path.join(home, 'Downloads')}, which goes when the demonstration ends (Ctrl C).`)
  if (electron !== undefined && !isOver) {
    server.kill('SIGTERM')
    await once(server, 'exit')
    running = spawn(electron, [project, `--user-data-dir=${path.join(home, 'data')}`], { stdio: 'inherit' })
    await once(running, 'exit')
    return
  }
  say(`Sluice is at ${link.href}`)
  await openInBrowser(link.href, say)
  if (server.exitCode === null) await once(server, 'exit')
}

/** Starts the built server on the demonstration's folders. Rejects with what it said when it cannot start. */
async function startServer(): Promise<{ server: ChildProcess; link: URL }> {
  const server = spawn(
    process.execPath,
    [
      ...[path.join(project, 'out/main/server.cjs'), '--port', '0', '--data-dir', path.join(home, 'data')],
      ...['--download-root', path.join(home, 'Downloads')],
    ],
    // its log is not for the eyes of a person who looks at a window
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  running = server
  let complaints = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  for await (const line of createInterface({ input: server.stdout })) {
    const link = /^Sluice is at (\S+)$/.exec(line)?.[1]
    if (link !== undefined) return { server, link: new URL(link) }
  }
  throw new Error(`the server could not be started: ${complaints}`)
}

async function queue({ task, tells }: Sample, link: URL): Promise<void> {
  const secret = new URLSearchParams(link.hash.slice(1)).get('secret') ?? ''
  const response = await fetch(new URL('/rpc/tasks.add', link), {
    method: 'POST',
    headers: { 'X-Secret-Key': secret, 'Content-Type': 'application/json' },
    body: JSON.stringify(task),
  })
  if (!response.ok) throw new Error(`${tells}: ${await response.text()}`)
}
