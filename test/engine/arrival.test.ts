/** Small files that come whole with the answer which their plan is made of. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import type { TaskParameters } from '../../src/shared/task/model.ts'
import { distrustedPace } from './distrusted-pace.ts'
import { MiB, it } from './engine-test.ts'
import { Rig, quickTimings, sourceHash, summary } from './harness.ts'
import type { RunOptions } from './harness.ts'

const arrived = '.sluice-task.part'

async function hasArrived(
  rig: Rig,
  url: string,
  parameters: Partial<TaskParameters> = {},
  options: RunOptions = {},
): Promise<boolean> {
  const link = { kind: 'single', url } as const
  const run = rig.startResolve({ link, ...parameters }, { ...options, arrivalPath: rig.path(arrived) })
  const outcome = await run.outcome
  if (outcome.kind !== 'completed' || outcome.result.kind !== 'plan') throw new Error(summary(outcome))
  return outcome.result.hasArrived === true
}

function leave(rig: Rig) {
  return { from: rig.path(arrived), to: rig.path('out.bin') }
}

describe('a small file', () => {
  it('comes with its plan, in one request and without a folder, and its connection is kept', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length: 20_000, etag: '"v"' })
    for (let times = 0; times < 2; times++) {
      expect(await hasArrived(rig, server.url('/f'))).toBe(true)
      expect(await rig.entries()).toEqual([arrived])
      expect(await rig.sha256(arrived)).toBe(sourceHash(20_000))
    }
    expect(server.log.length).toBe(2)
    expect(server.connections).toBe(1)
  })

  it('comes in a whole answer of a host without ranges, too', async ({ server, rig }) => {
    server.serve('/f', { length: 500, ranges: 'ignore' })
    expect(await hasArrived(rig, server.url('/f'))).toBe(true)
    expect(await rig.sha256(arrived)).toBe(sourceHash(500))
  })

  it('is not taken through a link that stands in its place', async ({ server, rig }) => {
    server.serve('/f', { length: 500 })
    await writeFile(rig.path('victim'), 'abc')
    await symlink(rig.path('victim'), rig.path(arrived))
    expect(await hasArrived(rig, server.url('/f'))).toBe(true)
    expect(await rig.sha256('victim')).not.toBe(sourceHash(500))
    expect(await rig.sha256(arrived)).toBe(sourceHash(500))
  })
})

describe('a file is left to its download', () => {
  it.for([
    ['that is large', { length: MiB }, {}, {}],
    ['that is empty', { length: 0 }, {}, {}],
    ['that comes slowly', { length: 20_000, bytesPerSecond: 40_000 }, {}, {}],
    ['whose length is not announced', { length: 5000, framing: 'chunked' }, {}, {}],
    ['that has to have a checksum', { length: 5000 }, { checksum: `md5:${'0'.repeat(32)}` }, {}],
    ['whose speed is limited', { length: 5000 }, {}, { limits: { bytesPerSecond: 1000 } }],
  ] as const)('%s', async ([, served, parameters, options], { server, rig }) => {
    server.serve('/f', served)
    expect(await hasArrived(rig, server.url('/f'), parameters, options)).toBe(false)
    expect(await rig.entries()).toEqual([])
  })

  it('whose place cannot be written, and it goes on with the open answer', async ({ server, rig }) => {
    server.serve('/f', { length: 20_000 })
    await mkdir(rig.path(arrived))
    expect(await hasArrived(rig, server.url('/f'))).toBe(false)
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(20_000))
    expect(server.log.length).toBe(1)
  })

  it('while the drive is slow', async ({ server }) => {
    const rig = await Rig.create({ timings: quickTimings, environment: {}, writePace: distrustedPace() })
    server.serve('/f', { length: 20_000 })
    expect(await hasArrived(rig, server.url('/f'))).toBe(false)
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    await rig.close()
  })
})

describe('a file that has arrived', () => {
  it('gets its name by the leave in its order, though it is told to stop', async ({ server, rig }) => {
    server.serve('/f', { length: 20_000 })
    await hasArrived(rig, server.url('/f'))
    const run = rig.start(rig.order(server.url('/f'), { leave: leave(rig) }))
    run.stop()
    expect(await run.outcome).toMatchObject({
      kind: 'completed',
      result: { kind: 'file', output: { path: rig.path('out.bin'), size: 20_000 } },
    })
    expect(await rig.entries()).toEqual(['out.bin'])
    expect(server.log.length).toBe(1)
  })

  it('asks for another name where that one is taken', async ({ server, rig }) => {
    server.serve('/f', { length: 20_000 })
    await hasArrived(rig, server.url('/f'))
    await writeFile(rig.path('out.bin'), 'of somebody else')
    const asked: (string | null)[] = []
    const publish: RunOptions['publish'] = (_from, takenPath) => {
      asked.push(takenPath)
      return Promise.resolve({ kind: 'publish', to: rig.path('out (1).bin') })
    }
    const order = rig.order(server.url('/f'), { leave: leave(rig) })
    expect(summary(await rig.start(order, { publish }).outcome)).toBe('completed')
    expect(asked).toEqual([rig.path('out.bin')])
    expect(await rig.sha256('out (1).bin')).toBe(sourceHash(20_000))
  })

  it('is paused where a request has won meanwhile', async ({ server, rig }) => {
    server.serve('/f', { length: 20_000 })
    await hasArrived(rig, server.url('/f'))
    await writeFile(rig.path('out.bin'), 'of somebody else')
    const order = rig.order(server.url('/f'), { leave: leave(rig) })
    const publish = () => Promise.resolve({ kind: 'refused' } as const)
    expect(summary(await rig.start(order, { publish }).outcome)).toBe('paused')
    expect((await rig.entries()).toSorted()).toEqual([arrived, 'out.bin'])
  })

  it('is downloaded where it is gone', async ({ server, rig }) => {
    server.serve('/f', { length: 20_000 })
    const order = rig.order(server.url('/f'), { leave: leave(rig) })
    expect(summary(await rig.start(order).outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(20_000))
  })
})
