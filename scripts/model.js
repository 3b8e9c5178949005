/**
 * `npm run model -- [lives] [seed]`: random lives of the task system against its invariants (test/model), 100 000
 * unless said, a few thousand per seed. The seed of each batch is printed; given one, that batch is lived again.
 */
import { projectEnvironment, runTool } from './run.js'

const perBatch = 2000
const [lives = '100000', seed] = process.argv.slice(2)
const wanted = Number(lives)
let lived = 0
while (lived < wanted) {
  const count = Math.min(perBatch, wanted - lived)
  const batch = seed ?? String(Math.floor(Math.random() * 2 ** 31))
  process.stdout.write(`${new Date().toISOString()}  ${count} lives from seed ${batch}\n`)
  const env = { ...projectEnvironment(), SLUICE_MODEL_RUNS: String(count), SLUICE_MODEL_SEED: batch }
  const args = ['run', '--project', 'integration', 'test/model', '--reporter=dot']
  const { code, output } = await runTool('vitest/vitest.mjs', args, { env })
  if (code !== 0) {
    process.stdout.write(`${output}\na life from seed ${batch} ended badly\n`)
    process.exit(1)
  }
  lived += count
}
process.stdout.write(`${lived} lives, every invariant held\n`)
