/** The REST API as a client drives it: the life of a job, and every answer that the document declares. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobSummarySchema, resolvedSchema, sortFields } from '../../src/http/rest/schemas.ts'
import { FaultServer } from '../fault-server/fault-server.ts'
import { declaredSuccesses, readEvents, RestClient, routes } from './rest-client.ts'
import { TestServer } from './running-server.ts'

let server: TestServer
let source: FaultServer
let api: RestClient
beforeAll(async () => {
  server = await TestServer.start()
  source = await FaultServer.start()
  api = await RestClient.of(server)
})
afterAll(async () => {
  await server.end()
  await source.close()
})

const jobs = '/api/download/jobs'
let files = 0

/** A link of its own; `bytesPerSecond` makes it slow. */
function link(options: { length?: number; bytesPerSecond?: number } = {}): string {
  const name = `file-${++files}.bin`
  source.serve(`/${name}`, { length: 20_000, seed: files, etag: `"${files}"`, ...options })
  return source.url(`/${name}`)
}
const slow = { length: 1_500_000, bytesPerSecond: 400_000 }

function queue(url: string, options: object = {}): Promise<string> {
  return api.accepted(api.post('/api/download', { url, connections: 1, ...options }))
}

describe('the life of a job', () => {
  test('queued, downloading with figures that move, completed, removed; its history stays', async () => {
    const id = await queue(link(slow))
    await api.until(id, 'downloading')
    await expect.poll(async () => (await api.job(id)).speed_bps, { timeout: 10_000 }).toBeGreaterThan(0)
    const moving = await api.job(id)
    expect(moving).toMatchObject({ phase: 'downloading', current_title: `file-${files}.bin` })
    expect(moving.track_progress).toHaveLength(1)
    await expect
      .poll(async () => (await api.job(id)).progress, { timeout: 10_000 })
      .toBeGreaterThan(moving.progress)

    const done = await api.until(id, 'completed')
    expect(done).toMatchObject({
      progress: 100,
      phase: null,
      speed_bps: 0,
      active_tracks: [],
      done_bytes: 1_500_000,
    })
    expect(done.output_files).toEqual([path.join(server.downloads, `file-${files}.bin`)])
    expect(Date.parse(done.completed_time ?? '')).toBeGreaterThanOrEqual(Date.parse(done.started_time ?? ''))

    expect((await api.delete(`${jobs}/${id}`)).status).toBe(204)
    expect(existsSync(done.output_files[0] ?? '')).toBe(true)
    // what is left of it is history
    expect(await api.job(id)).toMatchObject({ status: 'completed', parameters: null })
    expect((await api.jobs()).map((job) => job.job_id)).not.toContain(id)
  })

  test('a live one is cancelled by DELETE, and cancelled again; only then it is removed', async () => {
    const id = await queue(link(slow))
    await api.until(id, 'downloading')
    expect((await api.delete(`${jobs}/${id}`)).status).toBe(200)
    await api.until(id, 'cancelled')
    expect((await api.delete(`${jobs}/${id}`)).status).toBe(204)
    expect((await api.delete('/api/download/jobs/0123456789')).status).toBe(404)
  })

  test('retry makes a new entry of an ended job; a live one is a conflict', async () => {
    const id = await queue(link(slow))
    expect((await api.post(`${jobs}/${id}/retry`)).status).toBe(409)
    await api.delete(`${jobs}/${id}`)
    const before = await api.until(id, 'cancelled')
    const retried = await api.accepted(api.post(`${jobs}/${id}/retry`))
    expect(retried).not.toBe(id)
    expect((await api.job(retried)).task_id).not.toBe(before.task_id)
    await api.delete(`${jobs}/${retried}`)
  })

  test('pause keeps what arrived, resume goes on; both twice are no mistake; after the end they are', async () => {
    const id = await queue(link(slow))
    await api.until(id, 'downloading')
    expect((await api.post(`${jobs}/${id}/pause`)).status).toBe(200)
    const paused = await api.until(id, 'queued')
    await expect.poll(async () => (await api.job(id)).state).toBe('paused')
    expect(await api.job(id)).toMatchObject({
      pause_reason: 'user',
      job_id: paused.job_id,
    })
    expect((await api.post(`${jobs}/${id}/pause`)).status).toBe(200)
    expect((await api.post(`${jobs}/${id}/priority`)).status).toBe(409)
    expect((await api.post(`${jobs}/${id}/resume`)).status).toBe(200)
    expect((await api.post(`${jobs}/${id}/resume`)).status).toBe(200)
    await api.until(id, 'completed')
    expect((await api.post(`${jobs}/${id}/pause`)).status).toBe(409)
    expect((await api.post(`${jobs}/${id}/resume`)).status).toBe(409)
  })

  test('resume of a failed one is a new job; the old one is history and says what followed it', async () => {
    const url = source.url('/late.bin')
    const id = await queue(url)
    expect(await api.until(id, 'failed')).toMatchObject({ error: { error_code: 'NOT_FOUND' } })
    source.serve('/late.bin', { length: 1000, seed: 99, etag: '"late"' })
    const next = await api.accepted(api.post(`${jobs}/${id}/resume`))
    expect(next).not.toBe(id)
    await api.until(next, 'completed')

    const old = await api.job(id)
    expect(old).toMatchObject({ status: 'failed', superseded_by: next, error: { error_code: 'NOT_FOUND' } })
    for (const name of ['pause', 'resume', 'redownload', 'priority']) {
      expect((await api.post(`${jobs}/${id}/${name}`)).status).toBe(409)
    }
    expect((await api.patch(`${jobs}/${id}`, { title: 'x.bin' })).status).toBe(409)
    expect((await api.delete(`${jobs}/${id}`)).status).toBe(204)
    expect((await api.get(`${jobs}/${id}`)).status).toBe(404)
    expect((await api.get(`${jobs}/${next}`)).status).toBe(200)
  })

  test('redownload of a completed one is a new job with the same task', async () => {
    const id = await queue(link())
    const before = await api.until(id, 'completed')
    const again = await api.accepted(api.post(`${jobs}/${id}/redownload`))
    const after = await api.until(again, 'completed')
    expect(after.task_id).toBe(before.task_id)
    expect(after.output_files).toEqual(before.output_files)
  })

  test('redownload of a running one stops it first; then it begins again', async () => {
    const id = await queue(link(slow))
    await api.until(id, 'downloading')
    const answer = await api.post(`${jobs}/${id}/redownload`)
    expect(answer).toMatchObject({ status: 200, body: { job_id: id, stop_requested: 'redownload' } })
    await expect.poll(async () => (await api.job(id)).superseded_by).not.toBeNull()
    const next = (await api.job(id)).superseded_by ?? ''
    await api.until(next, 'downloading')
    // the older one has ended: made again as a new entry, whatever its own entry does now
    const retried = await api.accepted(api.post(`${jobs}/${id}/retry`))
    expect((await api.job(retried)).task_id).not.toBe((await api.job(next)).task_id)
    expect((await api.post(`${jobs}/${next}/retry`)).status).toBe(409)
    await api.delete(`${jobs}/${retried}`)
    await api.delete(`${jobs}/${next}`)
  })

  test('priority puts a waiting one first', async () => {
    await api.patch('/api/config', { maxConcurrentTasks: 1 })
    const running = await queue(link(slow))
    await api.until(running, 'downloading')
    const [second, third] = [await queue(link()), await queue(link())]
    expect((await api.job(third)).queue_position).toBe(2)
    expect((await api.post(`${jobs}/${third}/priority`)).body).toEqual({ job_id: third, position: 'front' })
    expect((await api.job(third)).queue_position).toBe(1)
    expect((await api.post(`${jobs}/${running}/priority`)).status).toBe(409)
    await api.patch('/api/config', { maxConcurrentTasks: 3 })
    await api.until(second, 'completed')
    await api.delete(`${jobs}/${running}`)
  })

  test('PATCH edits, and chooses files; not both, and never none', async () => {
    const id = await queue(link(), { start_paused: true })
    const edited = await api.patch(`${jobs}/${id}`, {
      title: 'better.bin',
      folder: 'films',
      start_after_edit: false,
    })
    const parameters = { title: 'better.bin', folder: path.join(server.downloads, 'films') }
    expect(edited).toMatchObject({ status: 200, body: { parameters } })
    await api.post(`${jobs}/${id}/resume`)
    const done = await api.until(id, 'completed')
    expect(done.output_files).toEqual([path.join(server.downloads, 'films', 'better.bin')])
    expect((await api.patch(`${jobs}/${id}`, { selected: [] })).status).toBe(422)
    expect((await api.patch(`${jobs}/${id}`, { selected: ['x'], title: 'y' })).status).toBe(400)
    expect((await api.patch(`${jobs}/${id}`, { folder: '/etc' })).status).toBe(403)
    expect((await api.patch(`${jobs}/0123`, { title: 'y' })).status).toBe(404)
    const again = await api.accepted(api.patch(`${jobs}/${id}`, { url: link() }))
    await api.until(again, 'completed')
  })
})

describe('lists', () => {
  let ids: string[]
  beforeAll(async () => {
    await api.post(`${jobs}/clear-finished`)
    const completed = await queue(link())
    await api.until(completed, 'completed')
    const failed = await queue(source.url('/not-there.bin'))
    await api.until(failed, 'failed')
    const cancelled = await queue(link(), { start_paused: true })
    await api.delete(`${jobs}/${cancelled}`)
    const queued = await queue(link(), { start_paused: true })
    ids = [completed, failed, cancelled, queued]
  })
  const listed = async (query: string): Promise<string[]> => (await api.jobs(query)).map((job) => job.job_id)

  test.each(['completed', 'failed', 'cancelled', 'queued'])('by status %s', async (status) => {
    const found = await api.jobs(`?status=${status}`)
    expect(found.length).toBeGreaterThan(0)
    for (const job of found) expect(job.status).toBe(status)
  })
  test.each(sortFields)('sorted by %s, both ways, what has none last', async (field) => {
    const values = async (order: string) =>
      (await api.jobs(`?sort_by=${field}&sort_order=${order}`))
        .map((job) => job[field])
        .filter((value) => value !== null)
    const up = await values('asc')
    expect(up.length).toBeGreaterThan(1)
    expect(up).toEqual(up.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
    const down = await values('desc')
    expect(down).toEqual(down.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)))
  })
  test('by service, in pages, and in full', async () => {
    const service = new URL(source.url('/')).host
    expect((await listed(`?service=${service}`)).toSorted()).toEqual(ids.toSorted())
    expect(await listed('?service=elsewhere.example')).toEqual([])
    const all = await listed('')
    expect(all.toSorted()).toEqual(ids.toSorted())
    expect([...(await listed('?limit=2')), ...(await listed('?limit=2&offset=2'))]).toEqual(all)
    const full = await api.jobs('?full=true')
    expect(full.every((job) => 'parameters' in job && job.parameters !== null)).toBe(true)
  })
  test.each([
    'status=paused',
    'sort_by=size',
    'sort_order=up',
    'limit=0',
    'limit=501',
    'limit=x',
    'offset=-1',
    'full=1',
    'nonsense=1',
  ])('unknown: %s', async (query) => {
    expect((await api.get(`${jobs}?${query}`)).status).toBe(400)
  })
  test('history: newest first, limited, by service, forgotten one by one', async () => {
    const entries = await api.history('?limit=3')
    expect(entries).toHaveLength(3)
    const times = entries.map((entry) => entry.completed_time)
    expect(times).toEqual(times.toSorted().toReversed())
    expect(await api.history('?service=elsewhere.example')).toEqual([])
    expect((await api.get('/api/history?limit=0')).status).toBe(400)
    expect((await api.delete(`/api/history/${entries[0]?.job_id ?? ''}`)).status).toBe(204)
    expect((await api.delete(`/api/history/${entries[0]?.job_id ?? ''}`)).status).toBe(404)
    expect((await api.delete(`/api/history/${ids[3] ?? ''}`)).status).toBe(409)
  })
})

describe('what is refused', () => {
  test.each([
    [{ url: 'file:///etc/passwd' }, 422, 'UNSUPPORTED'],
    [{ url: 'not a link' }, 400, 'INVALID_INPUT'],
    [{ url: '' }, 400, 'INVALID_INPUT'],
    [{}, 400, 'INVALID_INPUT'],
    [{ url: 'http://a.test/', nonsense: 1 }, 400, 'INVALID_INPUT'],
    [{ url: 'http://a.test/', folder: '/etc' }, 403, 'FORBIDDEN'],
    [{ url: 'http://a.test/', title: '../x' }, 400, 'INVALID_INPUT'],
    [{ url: 'http://a.test/', connections: 0 }, 400, 'INVALID_INPUT'],
    [[], 400, 'INVALID_INPUT'],
    [null, 400, 'INVALID_INPUT'],
  ])('POST /api/download with %j', async (body, status, code) => {
    const answer = await api.post('/api/download', body)
    expect(answer).toMatchObject({ status, body: { status: 'error', error_code: code } })
  })
  test('the same Idempotency-Key queues once; for another download it is a conflict', async () => {
    const body = { url: link(), start_paused: true }
    const key = { 'Idempotency-Key': randomUUID() }
    const queued = async () => (await api.jobs('?status=queued')).length
    const before = await queued()
    const first = await api.post('/api/download', body, key)
    const second = await api.post('/api/download', body, key)
    expect(second.body).toEqual(first.body)
    expect((await api.post('/api/download', { url: link() }, key)).status).toBe(409)
    expect(await queued()).toBe(before + 1)
  })
  test('B50: a thousand downloads in a second: some are told to wait, and when', async () => {
    const runaway = await TestServer.start()
    try {
      const statuses: number[] = []
      const body = { url: 'http://127.0.0.1:9/x', start_paused: true }
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          for (let n = 0; n < 50; n++) {
            const response = await runaway.post('/api/download', body)
            statuses.push(response.status)
            if (response.status === 429)
              expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
            await response.arrayBuffer()
          }
        }),
      )
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(100)
      expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(200)
    } finally {
      await runaway.end()
    }
  })
  test('settings: read, changed, and what must not be changed from outside', async () => {
    expect((await api.patch('/api/config', { connectionsPerTask: 4 })).body).toMatchObject({
      connectionsPerTask: 4,
    })
    expect((await api.get('/api/config')).body).toMatchObject({ connectionsPerTask: 4 })
    expect((await api.patch('/api/config', { ffmpegPath: '/bin/sh' })).status).toBe(403)
    expect((await api.patch('/api/config', { secret: 'mine' })).status).toBe(400)
    expect((await api.patch('/api/config', { connectionsPerTask: 0 })).status).toBe(400)
  })
  test('a link is looked up, or told why it cannot be', async () => {
    const url = link({ length: 1234 })
    const { body } = await api.post('/api/resolve', { url })
    expect(body).toMatchObject({ files: [{ size: 1234 }] })
    const { plan_id } = resolvedSchema.parse(body)
    const asked = source.requests(new URL(url).pathname).length
    const id = await queue(url, { plan_id, wanted: [0] })
    expect(await api.until(id, 'completed')).toMatchObject({ done_bytes: 1234 })
    // the look at the link was not made twice
    expect(source.requests(new URL(url).pathname).length).toBeLessThanOrEqual(asked + 1)
    expect((await api.post('/api/download', { url, duplicates: 'ask' })).status).toBe(409)
    expect((await api.post('/api/download', { url, wanted: [] })).status).toBe(400)
    expect(await api.post('/api/resolve', { url: source.url('/nothing-here') })).toMatchObject({
      status: 422,
      body: { error_code: 'NOT_FOUND' },
    })
  })
})

describe('events', () => {
  test('of one job: a snapshot, figures at least twice a second, its end, and then nothing more', async () => {
    const id = await queue(link({ length: 2_000_000, bytesPerSecond: 500_000 }))
    const events = await readEvents(server, `${jobs}/${id}/events`)
    api.seen.add('GET /api/download/jobs/{id}/events 200')
    expect(events[0]?.name).toBe('snapshot')
    expect(events.at(-1)).toMatchObject({ name: 'completed', data: { job_id: id, progress: 100 } })
    const progress = events.filter(({ name }) => name === 'progress')
    const values = progress.map(({ data }) => jobSummarySchema.parse(data).progress)
    const seconds = ((progress.at(-1)?.at ?? 0) - (progress[0]?.at ?? 0)) / 1000
    expect(seconds).toBeGreaterThan(2)
    // both: it is told twice a second, and what is told has moved
    expect((progress.length - 1) / seconds).toBeGreaterThanOrEqual(2)
    expect((new Set(values).size - 1) / seconds).toBeGreaterThanOrEqual(2)
    expect(values).toEqual(values.toSorted((a, b) => a - b))
    expect((await api.get('/api/download/jobs/0123/events')).status).toBe(404)
  })
  test('more streams than there may be are told to wait; the others go on', async () => {
    const ended = new AbortController()
    const open = Array.from({ length: 16 }, async () => {
      const response = await server.fetch('/api/events', { signal: ended.signal })
      const reader = response.body?.getReader()
      await reader?.read()
      return response.status
    })
    expect(new Set(await Promise.all(open))).toEqual(new Set([200]))
    const refused = await api.get('/api/events')
    expect(refused).toMatchObject({ status: 429, body: { error_code: 'RATE_LIMITED' } })
    expect(refused.headers.get('retry-after')).toBe('10')
    ended.abort()
    await expect
      .poll(
        async () => {
          const again = new AbortController()
          const { status } = await server.fetch('/api/events', { signal: again.signal })
          again.abort()
          return status
        },
        { timeout: 10_000 },
      )
      .toBe(200)
  })
  test('of a job that has ended: what it is and how it ended', async () => {
    const id = await queue(source.url('/never.bin'))
    await api.until(id, 'failed')
    const events = await readEvents(server, `${jobs}/${id}/events`)
    expect(events.map(({ name }) => name)).toEqual(['snapshot', 'failed'])
  })
  test('of all: a snapshot, then patches; Last-Event-ID goes on behind the last one that was seen', async () => {
    const title = `file-${files + 1}.bin`
    const all = readEvents(server, '/api/events', {
      enough: (events) =>
        events.some(({ name, data }) => name === 'notice' && JSON.stringify(data).includes(title)),
    })
    api.seen.add('GET /api/events 200')
    const id = await queue(link())
    await api.until(id, 'completed')
    const events = await all
    expect(events[0]).toMatchObject({ name: 'snapshot', data: { rows: expect.any(Array) as unknown } })
    const [first, second] = events
    const rest = await readEvents(server, '/api/events', {
      headers: { 'Last-Event-ID': first?.id ?? '' },
      enough: (seen) => seen.length > 0,
    })
    expect(rest[0]).toMatchObject({ id: second?.id, name: second?.name })
    const unknown = await readEvents(server, '/api/events', {
      headers: { 'Last-Event-ID': 'of-another-life.7' },
      enough: (seen) => seen.length > 0,
    })
    expect(unknown[0]?.name).toBe('snapshot')
  })
})

test('secrets of a download are in no answer, no event and no log', async () => {
  const canary = 'canary-7f3a9b'
  const host = new URL(source.url('/')).host
  const id = await queue(`http://user:${canary}-link@${host}/gone.bin`, {
    headers: { Authorization: `Bearer ${canary}-header`, Cookie: `session=${canary}-cookie` },
  })
  await api.until(id, 'failed')
  const texts = [
    ...[`${jobs}/${id}`, `${jobs}?full=true`, '/api/history', '/api/config'].map(async (target) =>
      JSON.stringify((await api.get(target)).body),
    ),
    readEvents(server, `${jobs}/${id}/events`).then((events) => JSON.stringify(events)),
    readEvents(server, '/api/events', { enough: (seen) => seen.length > 0 }).then((seen) =>
      JSON.stringify(seen),
    ),
  ]
  for (const text of await Promise.all(texts)) expect(text).not.toContain(canary)
  expect(server.log.join('')).not.toContain(canary)
})

test('whatever is sent, the answer is one that the document declares, and never a fault', async () => {
  const json = fc.jsonValue({ maxDepth: 3 })
  const word = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom('selected', 'url', 'folder', 'limit', 'status'),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes.filter(({ answers }) => answers[200]?.body !== 'events')),
      fc.string({ minLength: 1, maxLength: 70 }).filter((id) => id !== '.' && id !== '..'),
      fc.dictionary(word, fc.string({ maxLength: 20 }), { maxKeys: 3 }),
      fc.oneof(json, fc.dictionary(word, json, { maxKeys: 4 })),
      async ({ method, path: pattern }, id, query, body) => {
        const target = pattern.replace('{id}', encodeURIComponent(id))
        const asked =
          Object.keys(query).length === 0 ? target : `${target}?${new URLSearchParams(query).toString()}`
        const { status } = await api.ask(
          method,
          asked,
          method === 'GET' || method === 'DELETE' ? undefined : body,
        )
        expect(status).toBeLessThan(500)
      },
    ),
    { numRuns: 300 },
  )
}, 120_000)

test('every success that the document declares was seen here', () => {
  expect(declaredSuccesses.filter((success) => !api.seen.has(success))).toEqual([])
})
