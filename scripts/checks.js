// The checks of the code itself, each a program and its arguments. One list for `npm run check` and `npm test`.
import { availableParallelism } from 'node:os'
import { run } from './run.js'

const folders = ['shared', 'core', 'adapters', 'worker', 'main', 'preload', 'server', 'cli', 'renderer']

/** Runs several commands one after the other, to the first that fails. */
async function inTurn(commands) {
  let output = ''
  for (const [program, args] of commands) {
    const result = await run(program, args)
    output += result.output
    if (result.code !== 0) return { code: result.code, output }
  }
  return { code: 0, output }
}

const checks = [
  { name: 'lint', commands: [['eslint', ['--cache', '--max-warnings', '0', '.']]] },
  {
    name: 'types',
    commands: [...folders.map((folder) => ['tsc', ['-p', `src/${folder}`]]), ['tsc', ['-p', 'tsconfig.json']]],
  },
  { name: 'format', commands: [['prettier', ['--check', '.']]] },
  {
    name: 'dependency rules',
    commands: [['depcruise', ['--config', '.dependency-cruiser.mjs', 'src', 'e2e', 'test', 'bench']]],
  },
  { name: 'unused code', commands: [['knip', ['--no-progress']]] },
]

/**
 * Runs every check, as many at once as there are processors, and says how each ended.
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runChecks() {
  const waiting = [...checks]
  const result = { passed: 0, failed: 0 }
  const lane = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const began = performance.now()
      const { code, output } = await inTurn(check.commands)
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      if (code !== 0) process.stdout.write(`${output}\n`)
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${check.name} (${seconds} s)\n`)
      result[code === 0 ? 'passed' : 'failed']++
    }
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane))
  return result
}
