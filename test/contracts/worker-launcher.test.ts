/** What a forked worker is started with. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { forkLauncher } from '../../src/adapters/workers/launcher.ts'

/** Of what it makes some always outlives a collection, as connections do; it tells how large the space for that became. */
const program = `
  const { getHeapSpaceStatistics } = require('node:v8')
  const kept = []
  for (let made = 0; made < 3_000_000; made++) kept[made % 300_000] = { made }
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
  process.send([young.space_size])
`

it('a worker takes little memory for young objects, however long some of them live', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-launcher-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const entry = join(folder, 'program.cjs')
  await writeFile(entry, program)
  const worker = await forkLauncher({ entry }).launch()
  const youngBytes = await new Promise<number>((resolve) => {
    worker.onMessage((message) => resolve((message as [number])[0]))
  })
  const ended = new Promise((resolve) => worker.onExit(resolve))
  worker.dismiss()
  await ended
  expect(youngBytes).toBeLessThanOrEqual(12 * 2 ** 20)
})
