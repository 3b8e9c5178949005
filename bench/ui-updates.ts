/**
 * `node bench/ui-updates.ts [seconds] [server|electron]`: what a window costs while twenty downloads report, beyond
 * the transfers themselves (they run in worker processes, which are not counted). Processor time comes from /proc, by
 * process and thread, so that what else the machine does matters little. Counted are the host's process and the
 * renderer's, with all their threads; where there is no graphics card the renderer also rasters what it draws. The
 * browser around the renderer puts the layers together in software: told, not counted.
 *
 * On Electron's double the host and the page also pass every message on by DevTools, which neither the server nor the
 * real Electron does.
 */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import type { AppDriver } from '../e2e/app-driver.ts'
import { startBrowser } from '../e2e/browser.ts'
import { ElectronDriver } from '../e2e/electron-driver.ts'
import { ServerDriver } from '../e2e/server-driver.ts'
import { FaultServer } from '../test/fault-server/fault-server.ts'

const tasks = 20
/** A third of a per cent of each file a second: the bars move, and none of them ends. */
const bytesPerSecond = 100_000
const length = 30_000_000
const seconds = Number(process.argv[2] ?? 20)
const hostKind = process.argv[3] === 'electron' ? 'electron' : 'server'
/** kernel clock ticks a second, the same on every Linux that Node runs on */
const ticksPerSecond = 100
/** share of one core for host and renderer together, in per cent */
const target = 15

interface ProcessFacts {
  parent: number
  cpuSeconds: number
  command: string
}

/** Fields of a `stat` file behind the name, which may contain anything (proc(5)). */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function cpuSecondsOf(fields: readonly string[]): number {
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

async function processTable(): Promise<Map<number, ProcessFacts>> {
  const table = new Map<number, ProcessFacts>()
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    // a process may end between the listing and the reading
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => null)
    const command = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '')
    if (stat === null) continue
    const fields = fieldsOf(stat)
    table.set(Number(entry), { parent: Number(fields[1]), cpuSeconds: cpuSecondsOf(fields), command })
  }
  return table
}

/** Processor time of the threads of a process, by their names. */
async function threadTimes(pid: number): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => null)
    if (stat === null) continue
    const own = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')).replace(/\d+$/, '')
    const name = thread === String(pid) ? 'main thread' : own
    times.set(name, (times.get(name) ?? 0) + cpuSecondsOf(fieldsOf(stat)))
  }
  return times
}

interface Spent {
  host: number
  renderer: number
  browser: number
  threads: Map<string, number>
}

/** Processor time so far: of the host, and of what draws for it (renderers, and the browser around them). */
async function cpuOf(host: number): Promise<Spent> {
  const table = await processTable()
  const isOurs = (pid: number): boolean => {
    const facts = table.get(pid)
    return facts !== undefined && (facts.parent === process.pid || isOurs(facts.parent))
  }
  const spent: Spent = {
    host: table.get(host)?.cpuSeconds ?? 0,
    renderer: 0,
    browser: 0,
    threads: new Map(),
  }
  for (const [pid, { command, cpuSeconds }] of table) {
    if (!/--type=|chrom|electron/i.test(command) || pid === host || !isOurs(pid)) continue
    if (command.includes('utility-child') || command.includes('out/main/')) continue
    // the browser's own surface has a renderer too
    const isPage = command.includes('--type=renderer') && !command.includes('--top-chrome-webui')
    spent[isPage ? 'renderer' : 'browser'] += cpuSeconds
    if (!isPage) continue
    for (const [name, time] of await threadTimes(pid)) {
      spent.threads.set(name, (spent.threads.get(name) ?? 0) + time)
    }
  }
  return spent
}

/** Twenty downloads on one host, all of them under way. */
async function beginDownloads(driver: AppDriver, server: FaultServer, folder: string): Promise<void> {
  const links = Array.from({ length: tasks }, (_, index) => {
    server.serve(`/file-${index}.dat`, { length, seed: index, etag: '"a"', bytesPerSecond })
    return server.url(`/file-${index}.dat`)
  })
  await driver.call('settings.set', { maxConcurrentTasks: tasks, connectionsPerHost: 64 })
  await driver.call('tasks.add', { links, options: { folder, connections: 1 } })
  await server.until(() => server.openConnections === tasks, 60_000)
}

/** How often an element of the list was changed: what the window makes of the events. */
async function countChanges(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    Object.assign(window, { changes: 0 })
    new MutationObserver((records) => {
      const counted = window as unknown as { changes: number }
      counted.changes += records.length
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
  })
  return () => page.evaluate(() => (window as unknown as { changes: number }).changes)
}

function report(before: Spent, after: Spent, changes: number): void {
  const percent = (key: 'host' | 'renderer' | 'browser'): number =>
    ((after[key] - before[key]) / seconds) * 100
  const threads = [...after.threads]
    .map(([name, time]) => ({ name, share: ((time - (before.threads.get(name) ?? 0)) / seconds) * 100 }))
    .filter(({ share }) => share >= 0.1)
    .sort((a, b) => b.share - a.share)
  const together = percent('host') + percent('renderer')
  console.log(`host:      ${percent('host').toFixed(1)} % of a core`)
  console.log(`renderer:  ${percent('renderer').toFixed(1)} % of a core`)
  for (const { name, share } of threads) console.log(`           ${share.toFixed(1)} % ${name}`)
  console.log(`together:  ${together.toFixed(1)} % of a core (target: below ${target} %)`)
  console.log(
    `browser:   ${percent('browser').toFixed(1)} % of a core (compositing in software, not counted)`,
  )
  console.log(`changes of the page: ${(changes / seconds).toFixed(0)} a second`)
}

const home = await mkdtemp(path.join(os.tmpdir(), 'sluice-bench-ui-'))
const server = await FaultServer.start()
const browser = hostKind === 'server' ? await startBrowser() : null
const driver = browser === null ? new ElectronDriver(home) : new ServerDriver(home, browser)
try {
  const page = await driver.start()
  // it stands there once the host has answered
  await page.locator('.stepper').first().waitFor()
  await beginDownloads(driver, server, path.join(home, 'Downloads'))
  const changes = await countChanges(page)
  await sleep(3000)
  const before = await cpuOf(driver.pid)
  const changesBefore = await changes()
  await sleep(seconds * 1000)
  const after = await cpuOf(driver.pid)
  console.log(
    `${tasks} downloads on ${driver.description}, ${seconds} s, load ${os.loadavg()[0]?.toFixed(1)}`,
  )
  report(before, after, (await changes()) - changesBefore)
} finally {
  await driver.quit()
  await browser?.close()
  await server.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
