/**
 * `node bench/ui-updates.ts [seconds]`: what a window costs while twenty downloads report, beyond the transfers
 * themselves (they run in worker processes, which are not counted). The processor time of the host process and of
 * the renderer is read from /proc; on Electron's double the host's share includes the double's own messages.
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { _electron } from '@playwright/test'
import { electronEnvironment, electronProgram } from '../e2e/electron-program.ts'
import type { Bridge } from '../src/shared/contract/bridge.ts'
import { FaultServer } from '../test/fault-server/fault-server.ts'

declare global {
  interface Window {
    readonly sluice: Bridge
  }
}

const tasks = 20
const bytesPerSecond = 100_000
const seconds = Number(process.argv[2] ?? 20)
/** kernel clock ticks a second, the same on every Linux that Node runs on */
const ticksPerSecond = 100

interface ProcessFacts {
  parent: number
  cpuSeconds: number
  command: string
}

async function processTable(): Promise<Map<number, ProcessFacts>> {
  const table = new Map<number, ProcessFacts>()
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    // a process may end between the listing and the reading
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => null)
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    if (stat === null) continue
    // fields are counted behind the name, which may contain anything (proc(5))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    table.set(Number(entry), {
      parent: Number(fields[1]),
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      command,
    })
  }
  return table
}

/** Processor time so far: of the host, and of what draws for it (renderers, and the browser around them). */
async function cpuOf(host: number): Promise<{ host: number; renderer: number; browser: number }> {
  const table = await processTable()
  const isBelowHost = (pid: number): boolean => {
    const facts = table.get(pid)
    return facts !== undefined && (facts.parent === host || isBelowHost(facts.parent))
  }
  const spent = { host: table.get(host)?.cpuSeconds ?? 0, renderer: 0, browser: 0 }
  for (const [pid, { command, cpuSeconds }] of table) {
    if (!/chrom|electron/i.test(command) || pid === host || !isBelowHost(pid)) continue
    if (command.includes('utility-child') || command.includes('out/main/worker.js')) continue
    // the browser's own surface has a renderer too
    const isPage = command.includes('--type=renderer') && !command.includes('--top-chrome-webui')
    spent[isPage ? 'renderer' : 'browser'] += cpuSeconds
  }
  return spent
}

const home = await mkdtemp(path.join(os.tmpdir(), 'sluice-bench-ui-'))
const server = await FaultServer.start()
const program = electronProgram()
const app = await _electron.launch({
  executablePath: program.executablePath,
  args: [path.join(import.meta.dirname, '..'), `--user-data-dir=${home}`],
  env: electronEnvironment(home),
})
try {
  const page = await app.firstWindow()
  await page.waitForFunction(() => 'sluice' in window)
  const links = Array.from({ length: tasks }, (_, index) => {
    server.serve(`/file-${index}.dat`, { length: 1_000_000_000, seed: index, etag: '"a"', bytesPerSecond })
    return server.url(`/file-${index}.dat`)
  })
  await page.evaluate(
    async ({ links, folder, count }) => {
      await window.sluice.call('settings.set', { maxConcurrentTasks: count, connectionsPerHost: 64 })
      await window.sluice.call('tasks.add', { links, options: { folder, connections: 1 } })
    },
    { links, folder: home, count: tasks },
  )
  await server.until(() => server.openConnections === tasks, 60_000)
  await page.evaluate(() => {
    const counted = { events: 0, patches: 0 }
    Object.assign(window, { counted })
    window.sluice.on('tasks.changed', ({ patches }) => {
      counted.events++
      counted.patches += patches.length
    })
  })
  await sleep(3000)

  const host = app.process().pid ?? 0
  const before = await cpuOf(host)
  const countedBefore = await page.evaluate(() => (window as unknown as { counted: Counted }).counted)
  await sleep(seconds * 1000)
  const after = await cpuOf(host)
  const counted = await page.evaluate(() => (window as unknown as { counted: Counted }).counted)
  const percent = (key: keyof typeof before): number => ((after[key] - before[key]) / seconds) * 100
  const rate = (key: keyof Counted): string => ((counted[key] - countedBefore[key]) / seconds).toFixed(1)
  console.log(`${tasks} downloads on the ${program.kind}, ${seconds} s`)
  console.log(`events to the window: ${rate('events')} a second with ${rate('patches')} rows a second`)
  console.log(`host:      ${percent('host').toFixed(1)} % of a core`)
  console.log(`renderer:  ${percent('renderer').toFixed(1)} % of a core`)
  console.log(
    `together:  ${(percent('host') + percent('renderer')).toFixed(1)} % of a core (target: below 15 %)`,
  )
  console.log(
    `browser:   ${percent('browser').toFixed(1)} % of a core (compositing in software, not counted)`,
  )
} finally {
  await app.close()
  await server.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}

interface Counted {
  events: number
  patches: number
}
