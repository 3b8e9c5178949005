/** The direct resolver: one link, a pair, pages, names, and the one request that a plain file costs. */
import { describe, expect } from 'vitest'
import type { Plan } from '../../src/shared/task/model.ts'
import type { StepOutcome } from '../../src/shared/worker-protocol.ts'
import { MiB, it } from './engine-test.ts'
import { Rig, quickTimings, sourceHash, summary } from './harness.ts'
import type { FetchOrder } from '../../src/worker/transfer/fetch-order.ts'

function planOf(outcome: StepOutcome): Plan {
  if (outcome.kind !== 'completed' || outcome.result.kind !== 'plan') throw new Error(summary(outcome))
  return outcome.result.plan
}

function orderOf(rig: Rig, plan: Plan, index = 0): FetchOrder {
  const input = plan.files[0]?.steps[index]?.input
  if (input?.kind !== 'fetch') throw new Error('no fetch step')
  return rig.order(input.source.url, {
    source: input.source,
    fileName: `track-${index}`,
    publishTo: rig.path(`${index}-${plan.files[0]?.name ?? ''}`),
  })
}

describe('one link', () => {
  it('becomes one file with one download, and costs one request', async ({ server, rig }) => {
    server.serve('/dir/a%20b.zip', { length: 20_000, etag: '"v"', contentType: 'application/zip' })
    const link = { kind: 'single', url: server.url('/dir/a%20b.zip') } as const
    const plan = planOf(await rig.startResolve({ link }).outcome)
    expect(plan).toMatchObject({
      title: 'a b.zip',
      service: `127.0.0.1:${server.port}`,
      files: [
        {
          name: 'a b.zip',
          size: 20_000,
          selected: true,
          steps: [{ kind: 'download', size: 20_000, weight: 20_000 }],
        },
      ],
    })
    expect(summary(await rig.start(orderOf(rig, plan)).outcome)).toBe('completed')
    expect(await rig.sha256('0-a b.zip')).toBe(sourceHash(20_000))
    expect(server.log.length).toBe(1)
  })

  it('that is large goes on from the open answer over several connections', async ({ server, rig }) => {
    const length = 12 * MiB
    server.serve('/f', { length, etag: '"v"', bytesPerSecond: 4 * MiB })
    const plan = planOf(await rig.startResolve({ link: { kind: 'single', url: server.url('/f') } }).outcome)
    expect(summary(await rig.start(orderOf(rig, plan)).outcome)).toBe('completed')
    expect(await rig.sha256('0-f')).toBe(sourceHash(length))
    expect(server.log.filter((request) => request.range?.start === 0).length).toBe(1)
  })

  it('keeps its answer open for a while only', async ({ server }) => {
    const rig = await Rig.create({ timings: { ...quickTimings, handOverMs: 50 }, environment: {} })
    server.serve('/f', { length: 50 * MiB })
    const plan = planOf(await rig.startResolve({ link: { kind: 'single', url: server.url('/f') } }).outcome)
    await server.until(() => server.openConnections === 0)
    server.serve('/f', { length: 1000 })
    expect(summary(await rig.start(orderOf(rig, plan)).outcome)).toBe('completed')
    expect(server.log.length).toBe(2)
    await rig.close()
  })

  it('that is a page is refused in words, unless it was asked for', async ({ server, rig }) => {
    server.serve('/watch', { body: '<!doctype html><title>x</title>', contentType: 'text/html' })
    const link = { kind: 'single', url: server.url('/watch') } as const
    expect(summary(await rig.startResolve({ link }).outcome)).toBe('failed LOOKS_LIKE_A_PAGE')
    const direct = planOf(await rig.startResolve({ link, direct: true }).outcome)
    expect(direct.files[0]?.name).toBe('watch.html')
    const named = planOf(await rig.startResolve({ link, name: 'page.html' }).outcome)
    expect(named.files[0]?.name).toBe('page.html')
  })

  it('B15 that says video and sends a page is a page, and one that says page and sends a video is a video', async ({
    server,
    rig,
  }) => {
    server.serve('/a.mp4', { body: '  <html><body>no</body></html>', contentType: 'video/mp4' })
    server.serve('/b.mp4', { length: 5000, contentType: 'text/html' })
    const outcome = async (path: string) =>
      summary(await rig.startResolve({ link: { kind: 'single', url: server.url(path) } }).outcome)
    expect(await outcome('/a.mp4')).toBe('failed LOOKS_LIKE_A_PAGE')
    expect(await outcome('/b.mp4')).toBe('completed')
  })

  it('B15 a download step refuses a page as well and asks the user', async ({ server, rig }) => {
    server.serve('/a.mp4', { body: '<!DOCTYPE html><p>sign in', contentType: 'video/mp4' })
    expect(summary(await rig.fetch(server.url('/a.mp4'), { refusePage: true }))).toBe(
      'paused review LOOKS_LIKE_A_PAGE',
    )
    expect(await rig.entries()).not.toContain('out.bin')
  })

  it('takes its name from the header, the user, or the link after redirects', async ({ server, rig }) => {
    server.serve('/d', { body: 'x', contentDisposition: Buffer.from('attachment; filename="♥それ.txt"') })
    server.redirect('/r', '/real.bin?token=1')
    server.serve('/real.bin', { body: 'x' })
    const name = async (path: string, given: string | null = null) =>
      planOf(await rig.startResolve({ link: { kind: 'single', url: server.url(path) }, name: given }).outcome)
        .files[0]?.name
    expect(await name('/d')).toBe('♥それ.txt')
    expect(await name('/r')).toBe('real.bin')
    expect(await name('/r', '../own?.bin')).toBe('_.._own_.bin'.replace('_.._', '_'))
  })

  it.for([
    ['http://127.0.0.1:1/x', 'FORBIDDEN'],
    ['file:///etc/passwd', 'UNSUPPORTED'],
    ['nonsense', 'INVALID_INPUT'],
  ] as const)('%s is refused as %s', async ([url, code], { rig }) => {
    expect(summary(await rig.startResolve({ link: { kind: 'single', url } }).outcome)).toBe(`failed ${code}`)
  })

  it('that fails is told by the table of failures', async ({ server, rig }) => {
    const link = { kind: 'single', url: server.url('/none') } as const
    expect(summary(await rig.startResolve({ link }).outcome)).toBe('failed NOT_FOUND')
    server.serve('/none', { body: 'x', faults: () => ({ status: 500 }) })
    expect(summary(await rig.startResolve({ link }, { limits: { retryBudget: 1 } }).outcome)).toBe(
      'paused network HTTP_ERROR',
    )
  })

  it('can be stopped while it waits', async ({ server, rig }) => {
    server.onConnection = () => 'mute'
    const run = rig.startResolve({ link: { kind: 'single', url: server.url('/f') } })
    await server.until(() => server.connections > 0)
    run.stop()
    expect(summary(await run.outcome)).toBe('paused')
  })
})

describe('a pair of links', () => {
  it('becomes one file: both tracks side by side, then a mux', async ({ server, rig }) => {
    server.serve('/v.mp4', { length: 9000, seed: 1, contentType: 'video/mp4' })
    server.serve('/a.m4a', { length: 3000, seed: 2, contentType: 'audio/mp4' })
    const link = { kind: 'pair', video: server.url('/v.mp4'), audio: server.url('/a.m4a') } as const
    const plan = planOf(await rig.startResolve({ link }).outcome)
    expect(plan.files).toMatchObject([
      {
        name: 'v.mp4',
        size: 12_000,
        steps: [
          { kind: 'download-video', stage: 1, size: 9000 },
          { kind: 'download-audio', stage: 1, size: 3000 },
          { kind: 'mux', stage: 2, input: { kind: 'mux', inputs: [0, 1], container: 'mp4' } },
        ],
      },
    ])
    const tracks = [0, 1].map((index) => rig.start({ ...orderOf(rig, plan, index), publishTo: null }).outcome)
    expect((await Promise.all(tracks)).map(summary)).toEqual(['completed', 'completed'])
    expect(await rig.sha256('.sluice-task/track-1')).toBe(sourceHash(3000, 2))
    expect(server.log.length).toBe(2)
  })

  it.for([
    ['/v.webm', '/a.webm', null, 'v.webm', 'webm'],
    ['/v.webm', '/a.m4a', null, 'v.mkv', 'mkv'],
    ['/v.mp4', '/a.opus', null, 'v.mkv', 'mkv'],
    ['/v.webm', '/a.m4a', 'my.mp4', 'my.mp4', 'mp4'],
    ['/v.mp4', '/a.m4a', 'my film', 'my film.mp4', 'mp4'],
  ] as const)(
    '%s with %s and the name %s is %s',
    async ([video, audio, given, name, container], { server, rig }) => {
      for (const path of [video, audio]) server.serve(path, { length: 10 })
      const link = { kind: 'pair', video: server.url(video), audio: server.url(audio) } as const
      const plan = planOf(await rig.startResolve({ link, name: given }).outcome)
      expect(plan.files[0]?.name).toBe(name)
      expect(plan.files[0]?.steps[2]?.input).toMatchObject({ container })
    },
  )

  it('of which one is a page is refused, and nothing stays open', async ({ server, rig }) => {
    server.serve('/v.mp4', { body: '<html>', contentType: 'text/html' })
    server.serve('/a.m4a', { length: 10 })
    const link = { kind: 'pair', video: server.url('/v.mp4'), audio: server.url('/a.m4a') } as const
    expect(summary(await rig.startResolve({ link }).outcome)).toBe('failed LOOKS_LIKE_A_PAGE')
  })
})
