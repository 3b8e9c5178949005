/** The task system over real processes, a real database and real files: what only these can show. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTimeOf } from '../../src/adapters/process-identity.ts'
import type { RecordedProcess } from '../../src/adapters/workers/process-group.ts'
import { groupLives } from '../../src/adapters/workers/process-group.ts'
import { taskState } from '../../src/shared/task/derive.ts'
import { FaultServer, seededBytes } from '../fault-server/fault-server.ts'
import { RealHost } from './real-host.ts'
import type { RealHostOptions } from './real-host.ts'

const media = join(import.meta.dirname, '../media/files')

let folder: string
let server: FaultServer
let ffmpegPath: string
const hosts: RealHost[] = []
const dying: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-whole-'))
  server = await FaultServer.start()
  ffmpegPath = join(folder, 'endless-ffmpeg')
  // with a child of its own, and deaf to what can be ignored
  await writeFile(ffmpegPath, `#!/bin/sh\n(trap '' TERM HUP INT; sleep 600) &\nwait\n`)
  await chmod(ffmpegPath, 0o755)
  server.serve('/video', { body: await readFile(join(media, 'video.mp4')), etag: '"v"' })
  server.serve('/audio', { body: await readFile(join(media, 'audio.m4a')), etag: '"a"' })
})

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop()
  for (const host of dying.splice(0)) host.kill('SIGKILL')
  await server.close()
  await rm(folder, { recursive: true })
})

async function startHost(options: Partial<RealHostOptions> = {}): Promise<RealHost> {
  const host = await RealHost.start({ dataFolder: join(folder, 'data'), downloads: folder, ...options })
  hosts.push(host)
  return host
}

/** A file that takes minutes, unless it is served anew. */
function serveSlowly(name: string, bytesPerSecond = 40_000): string {
  server.serve(`/${name}`, { length: 3_000_000, seed: 5, etag: '"s"', bytesPerSecond })
  return server.url(`/${name}`)
}

async function addPair(host: RealHost): Promise<string> {
  const pair = { video: server.url('/video'), audio: server.url('/audio') }
  const { results } = await host.call('tasks.add', { pair })
  return results[0]?.kind === 'added' ? results[0].id : ''
}

const isGone = async ({ pid, startTime }: RecordedProcess) => (await startTimeOf(pid)) !== startTime

describe('ten running tasks, one of them muxing', () => {
  it('lowering the limit is obeyed within 5.5 s, the mux keeps its process, and 3.3.9 a cancel ends that', async () => {
    const host = await startHost({ ffmpegPath, settings: { maxConcurrentTasks: 10, connectionsPerTask: 1 } })
    const film = await addPair(host)
    const { children, worker } = await host.until(async () => {
      const { attempt } = await host.task(film)
      return attempt !== null && attempt.children.length > 0 && attempt
    }, 'it is muxed')
    const slow = await host.add(...Array.from({ length: 9 }, (_, index) => serveSlowly(`slow-${index}`)))
    const bytesFlow = async () => {
      const tasks = await host.store.loadMany(slow)
      return tasks.every((task) => task.steps.some((step) => step.kind === 'download' && step.doneBytes > 0))
    }
    await host.until(bytesFlow, 'all nine have begun')
    const before = performance.now()
    await host.call('settings.set', { maxConcurrentTasks: 1 })
    await host.until(async () => (await host.counts()).running === 1, 'one runs', 5500)
    expect(performance.now() - before).toBeLessThan(5500)
    const after = (await host.task(film)).attempt
    expect(after?.worker).toEqual(worker)
    expect(after?.children).toEqual(children)
    expect(groupLives(children[0]?.pid ?? 0)).toBe(true)
    const waiting = await host.call('list.query', {
      ...{ filter: 'waiting', search: '', sort: 'queue', order: 'asc', offset: 0, limit: 20 },
    })
    expect(waiting.ids).toEqual(slow)
    // 3.3.9: what a request ends is gone with all that it had started
    await host.call('tasks.cancel', { ids: [film] })
    await host.until(async () => (await host.state(film)) === 'CANCELLED', 'it is cancelled', 6500)
    expect(groupLives(children[0]?.pid ?? 0)).toBe(false)
  })
})

describe('invariant 25: workers that are stopped, stalled or killed', () => {
  const names = ['stopped', 'killed', 'well'] as const

  async function durable(host: RealHost, id: string): Promise<boolean> {
    return (await host.task(id)).steps.some((step) => step.checkpoint?.kind === 'ranges')
  }

  async function workerOf(host: RealHost, id: string): Promise<RecordedProcess> {
    const worker = (await host.task(id)).attempt?.worker
    if (!worker) throw new Error(`nobody works for ${id}`)
    return worker
  }

  /** Its last attempt ended for this reason, and another one is at work. */
  async function goesOnAfter(host: RealHost, id: string, reason: string): Promise<boolean> {
    const [now, last] = await host.store.attempts(id)
    return last?.end?.reason === reason && now?.end === null
  }

  async function stoppedAndKilled(): Promise<void> {
    const host = await startHost({ settings: { connectionsPerTask: 1 } })
    const ids = await host.add(...names.map((name) => serveSlowly(name)))
    const [stopped = '', killed = '', well = ''] = ids
    for (const id of ids) await host.until(() => durable(host, id), `${id} has bytes`)
    const [deaf, dead, sound] = await Promise.all(ids.map((id) => workerOf(host, id)))
    if (deaf === undefined || dead === undefined) throw new Error('nobody works')
    process.kill(dead.pid, 'SIGKILL')
    process.kill(deaf.pid, 'SIGSTOP')
    const since = performance.now()
    await host.until(() => goesOnAfter(host, killed, 'crashed'), 'the killed one runs again', 10_000)
    // 15 s of silence, 5 s of grace, one poll, and what a loaded machine takes to start a worker
    await host.until(() => goesOnAfter(host, stopped, 'silent'), 'the stopped one runs again', 25_000)
    expect(performance.now() - since).toBeGreaterThan(19_000)
    expect([await isGone(deaf), await isGone(dead)]).toEqual([true, true])
    expect(await workerOf(host, well)).toEqual(sound)
    for (const name of names) serveSlowly(name, 100_000_000)
    server.dropConnections()
    for (const id of ids) await host.untilState(id, 'COMPLETED')
    for (const name of names) {
      expect((await readFile(join(folder, name))).equals(seededBytes(5, 0, 3_000_000))).toBe(true)
    }
  }

  /** Its worker is heard all the while, and keeps the task. */
  async function stalled(): Promise<void> {
    const mute = { breakAfter: { bytes: 200_000, how: 'stall' as const } }
    server.serve('/stalled', { length: 3_000_000, seed: 5, etag: '"s"', faults: [mute] })
    const settings = { connectionsPerTask: 1, stallTimeoutSeconds: 10 }
    const host = await startHost({ dataFolder: join(folder, 'another'), settings })
    const [id = ''] = await host.add(server.url('/stalled'))
    await host.until(() => durable(host, id), 'it has bytes')
    const worker = await workerOf(host, id)
    const since = performance.now()
    await host.untilState(id, 'COMPLETED', 30_000)
    expect(performance.now() - since).toBeGreaterThan(6000)
    expect((await host.store.attempts(id)).map((attempt) => attempt.worker)).toEqual([worker])
    expect((await readFile(join(folder, 'stalled'))).equals(seededBytes(5, 0, 3_000_000))).toBe(true)
  }

  it('are replaced within their limit, 5 s and one poll; nothing is lost, and others are left alone', async () => {
    // side by side, since what is shown is mostly waiting
    await Promise.all([stoppedAndKilled(), stalled()])
  })
})

describe('invariant 15: a host that was killed', () => {
  it('leaves nothing running: its next life ends every worker and grandchild first, then all goes on', async () => {
    const data = join(folder, 'data')
    const links = [serveSlowly('plain'), server.url('/video'), server.url('/audio')]
    const host = fork(join(import.meta.dirname, 'dying-host.ts'), [data, folder, ffmpegPath, ...links])
    dying.push(host)
    const [told] = (await once(host, 'message')) as [
      { plain: string; film: string; workers: RecordedProcess[]; children: RecordedProcess[] },
    ]
    // neither can notice that its host is gone
    for (const { pid } of told.workers) process.kill(pid, 'SIGSTOP')
    host.kill('SIGKILL')
    await once(host, 'exit')
    expect(groupLives(told.children[0]?.pid ?? 0)).toBe(true)
    serveSlowly('plain', 100_000_000)
    const next = await startHost()
    for (const old of told.workers) expect(await isGone(old)).toBe(true)
    for (const child of told.children) expect(groupLives(child.pid)).toBe(false)
    for (const id of [told.plain, told.film]) {
      expect((await next.store.attempts(id)).at(-1)?.end?.reason).toBe('lost')
      const task = await next.task(id)
      if (taskState(task) === 'RUNNING' && task.attempt?.worker) {
        expect(await isGone(task.attempt.worker)).toBe(false)
      }
      await next.untilState(id, 'COMPLETED')
    }
    expect((await readFile(join(folder, 'plain'))).equals(seededBytes(5, 0, 3_000_000))).toBe(true)
    expect((await readdir(folder)).filter((name) => name.startsWith('.sluice'))).toEqual([])
  })
})

describe('a playlist of a hundred', () => {
  it('whose third entry fails brings the other 99', async () => {
    for (let entry = 1; entry <= 100; entry++) {
      server.serve(`/entry/${entry}`, { length: 2000, seed: entry, etag: `"${entry}"` })
    }
    server.statuses('/entry/3', [404, 404, 404, 404], { length: 2000, seed: 3 })
    const host = await startHost({ workerEntry: join(import.meta.dirname, 'playlist-process.ts') })
    const [id = ''] = await host.add(server.url('/list/100'))
    await host.untilState(id, 'FAILED', 50_000)
    const task = await host.task(id)
    const failed = task.steps.filter((step) => step.state === 'FAILED')
    expect(failed).toMatchObject([{ kind: 'resolve', error: { code: 'NOT_FOUND' } }])
    const outputs = task.steps.flatMap((step) => (step.output === null ? [] : [step.output.path]))
    expect(outputs).toHaveLength(99)
    for (const [place, path] of outputs.entries()) {
      const entry = place < 2 ? place + 1 : place + 2
      expect((await readFile(path)).equals(seededBytes(entry, 0, 2000))).toBe(true)
    }
  })
})

describe('a film of which one track never comes', () => {
  it('is not joined from what there is, and is fetched for that track alone when it is there again', async () => {
    const audio = { body: await readFile(join(media, 'audio.m4a')), etag: '"a"' }
    // it is there when it is looked up, and gone after its first bytes
    const gone = (_: unknown, number: number) =>
      number === 0 ? { breakAfter: { bytes: 5000, how: 'reset' as const } } : { status: 404 }
    server.serve('/audio', { ...audio, faults: gone })
    const host = await startHost({ settings: { maxTracksPerTask: 1 } })
    const id = await addPair(host)
    await host.untilState(id, 'PAUSED')
    const task = await host.task(id)
    expect(task.pause).toMatchObject({ kind: 'source', error: { code: 'LINK_EXPIRED' } })
    const states = task.steps.map(({ kind, state }) => `${kind} ${state}`)
    expect(states).toEqual(expect.arrayContaining(['download-video COMPLETED', 'download-audio PAUSED']))
    const files = async () => (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
    const before = ['data', 'endless-ffmpeg']
    expect(await files()).toEqual(before)

    const videos = server.requests('/video').length
    server.serve('/audio', audio)
    await host.call('tasks.restart', { ids: [id] })
    await host.untilState(id, 'COMPLETED')
    expect(server.requests('/video')).toHaveLength(videos)
    const made = (await host.task(id)).files.map(({ name }) => name)
    expect(await files()).toEqual([...before, ...made].sort())
  })
})

describe('B12 files that are named like our own partials and folders', () => {
  it('are files like any other, and ours are not theirs', async () => {
    const names = ['0-0.part', 'x.part', '.sluice-task-1', 'desktop.ini']
    for (const [seed, name] of names.entries()) {
      server.serve(`/${name}`, { length: 300_000, seed, etag: `"${seed}"` })
    }
    const host = await startHost()
    const ids = await host.add(...names.map((name) => server.url(`/${name}`)))
    for (const id of ids) await host.untilState(id, 'COMPLETED')
    const saved = ['0-0.part', 'x.part', 'sluice-task-1', '_desktop.ini']
    for (const [seed, name] of saved.entries()) {
      expect((await readFile(join(folder, name))).equals(seededBytes(seed, 0, 300_000))).toBe(true)
    }
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
  })
})

describe('ten thousand waiting tasks', () => {
  it('and a dead network cost one probe at a time, not ten thousand failures', async () => {
    const gone = await FaultServer.start()
    const link = (index: number) => gone.url(`/${index}`)
    await gone.close()
    const host = await startHost({ settings: { retryBudget: 0 } })
    host.clock.stop()
    await host.add(...Array.from({ length: 10_000 }, (_, index) => link(index)))
    await host.until(async () => (await host.counts()).paused === 3, 'three have tried')
    // one to find out, then those of the one prober, after 5 s and each time twice as long
    await host.until(() => Promise.resolve(host.probes > 0), 'the host was asked')
    for (const [seconds, probes] of [
      [5, 2],
      [10, 3],
      [20, 4],
    ] as const) {
      expect(host.probes).toBe(probes - 1)
      host.clock.skip(seconds * 1000)
      await host.until(() => Promise.resolve(host.probes >= probes), `${probes} probes`, 4000)
    }
    expect(host.probes).toBe(4)
    expect(await host.counts()).toMatchObject({ all: 10_000, paused: 3, waiting: 9997, running: 0 })
    expect(host.faults).toEqual([])
  })
})

describe('origins B12: what was fetched before a pause', () => {
  async function pausedHalfway() {
    server.serve('/file', { length: 3_000_000, seed: 1, bytesPerSecond: 600_000 })
    const host = await startHost({ settings: { connectionsPerTask: 1 } })
    const [id = ''] = await host.add(server.url('/file'))
    await server.until(() => server.bodyBytesSent('/file') > 600_000)
    await host.call('tasks.pause', { ids: [id] })
    await host.untilState(id, 'PAUSED')
    return { host, id }
  }

  it('without any validator is proved by bytes: two versions are never mixed', async () => {
    const { host, id } = await pausedHalfway()
    server.serve('/file', { length: 3_000_000, seed: 2 })
    await host.call('tasks.restart', { ids: [id] })
    await host.untilState(id, 'PAUSED')
    expect((await host.task(id)).pause).toMatchObject({ kind: 'review', error: { code: 'REMOTE_CHANGED' } })
    await host.call('tasks.review', { id, answer: 'redo' })
    await host.untilState(id, 'COMPLETED')
    expect((await readFile(join(folder, 'file'))).equals(seededBytes(2, 0, 3_000_000))).toBe(true)
  })

  it('is compared with a fresh link in three places before it is gone on from', async () => {
    const { host, id } = await pausedHalfway()
    const fresh = async (seed: number) => {
      server.serve('/fresh', { length: 3_000_000, seed, etag: `"${seed}"` })
      const edit = { id, deleteFiles: false, startAfterEdit: true }
      await host.call('tasks.edit', { ...edit, link: server.url(`/fresh?${seed}`) })
      await host.call('tasks.restart', { ids: [id] })
    }
    await fresh(2)
    await host.until(async () => (await host.task(id)).pause?.kind === 'review', 'it is asked about')
    expect((await host.task(id)).pause).toMatchObject({ error: { code: 'REMOTE_CHANGED' } })
    const before = server.log.length
    await fresh(1)
    await host.untilState(id, 'COMPLETED')
    const file = (await host.task(id)).files[0]?.name ?? ''
    expect((await readFile(join(folder, file))).equals(seededBytes(1, 0, 3_000_000))).toBe(true)
    // the look-up asks for the whole; blocks that touch are asked for as one
    const [, ...asked] = server.log.slice(before).flatMap(({ range }) => (range === null ? [] : [range]))
    const blocks = asked.filter(({ end }) => end !== null)
    const bytes = blocks.reduce((sum, { start, end }) => sum + (end ?? start) - start, 0)
    expect(blocks[0]?.start).toBe(0)
    expect(bytes).toBeGreaterThanOrEqual(2 * 65_536)
    expect(bytes).toBeLessThanOrEqual(3 * 65_536)
    const rest = asked.filter(({ end }) => end === null)
    expect(rest[0]?.start).toBeGreaterThan(600_000)
    expect(blocks.at(-1)?.end).toBe(rest[0]?.start)
  })

  it('whose file is gone is fetched again, without holes', async () => {
    const { host, id } = await pausedHalfway()
    await rm(join(folder, `.sluice-task-${id}`), { recursive: true })
    server.serve('/file', { length: 3_000_000, seed: 1 })
    await host.call('tasks.restart', { ids: [id] })
    await host.untilState(id, 'COMPLETED')
    expect((await readFile(join(folder, 'file'))).equals(seededBytes(1, 0, 3_000_000))).toBe(true)
  })
})
