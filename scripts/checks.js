/** The checks of the code itself, each a program and its arguments. One list for `npm run check` and `npm test`. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { project, runTool } from './run.js'

/** as many as the smallest machine has processors */
const atOnce = 2
/** what did not change is not looked at again */
const cache = 'node_modules/.cache'

/** Each folder of `src` is a project of its own, with only the libraries it may use; the rest is one more. */
function typeChecks() {
  const folders = readdirSync(path.join(project, 'src')).filter((name) =>
    existsSync(path.join(project, 'src', name, 'tsconfig.json')),
  )
  return [
    ['types of tests and tools', 'tsconfig.json'],
    ...folders.map((name) => [`types of src/${name}`, `src/${name}/tsconfig.json`]),
  ].map(([name, config]) => ({
    name,
    program: 'typescript/bin/tsc',
    args: ['-p', config, '--incremental', '--tsBuildInfoFile', `${cache}/tsc/${config.replaceAll('/', '-')}`],
  }))
}

/** The longest first, so that it does not run alone at the end. */
function allChecks() {
  return [
    {
      name: 'lint',
      program: 'eslint/bin/eslint.js',
      args: ['--cache', '--cache-location', `${cache}/eslint/`, '--max-warnings', '0', '.'],
    },
    ...typeChecks(),
    { name: 'format', program: 'prettier/bin/prettier.cjs', args: ['--check', '--log-level', 'warn', '.'] },
    {
      name: 'dependency rules',
      program: 'dependency-cruiser/bin/dependency-cruiser.mjs',
      args: ['--config', '.dependency-cruiser.mjs', 'src', 'bench', 'e2e', 'test'],
    },
    { name: 'unused code', program: 'knip/bin/knip.js', args: ['--no-progress'] },
  ]
}

/**
 * Runs every check and says how each ended and how long it took; what it wrote is shown when it failed.
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runChecks() {
  const waiting = allChecks()
  const result = { passed: 0, failed: 0 }
  const lane = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const began = performance.now()
      const { code, output } = await runTool(check.program, check.args)
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${check.name} (${seconds} s)\n`)
      if (code !== 0) process.stdout.write(`${output.trimEnd()}\n`)
      result[code === 0 ? 'passed' : 'failed']++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return result
}
