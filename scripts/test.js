// `npm test`: installs what is missing, then every check and every test. The last line is the sum.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project, projectEnvironment, run } from './run.js'
import { ensureBuilt, ensureInstalled } from './set-up.js'
import { ensureTestPrograms } from './test-programs.js'

const total = { passed: 0, failed: 0, skipped: 0 }
const scratch = mkdtempSync(join(tmpdir(), 'sluice-test-'))

function add(counts) {
  for (const key of Object.keys(total)) total[key] += counts[key] ?? 0
}

/** Counts of a report, or one failure when the runner left none. */
function readReport(name, countsOf) {
  const path = join(scratch, name)
  if (!existsSync(path)) return { failed: 1 }
  return countsOf(JSON.parse(readFileSync(path, 'utf8')))
}

async function runVitest() {
  const report = join(scratch, 'vitest.json')
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await run('vitest', args, { inherit: true })
  const counts = readReport('vitest.json', (json) => ({
    passed: json.numPassedTests,
    failed: json.numFailedTests + json.testResults.filter(isBrokenSuite).length,
    skipped: json.numPendingTests + json.numTodoTests,
  }))
  // an error outside of tests (an unhandled rejection, a suite that does not load) fails the run by its code alone
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  add(counts)
}

/** A file that failed without a failing test in it: it could not be loaded. */
function isBrokenSuite(suite) {
  return suite.status === 'failed' && suite.assertionResults.every((test) => test.status !== 'failed')
}

async function runPlaywright() {
  const report = join(scratch, 'playwright.json')
  const env = { ...projectEnvironment(), PLAYWRIGHT_JSON_OUTPUT_NAME: report }
  const { code } = await run('playwright', ['test', '--reporter=list,json'], { inherit: true, env })
  const counts = readReport('playwright.json', ({ stats }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    skipped: stats.skipped,
  }))
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  add(counts)
}

await ensureInstalled()
await ensureTestPrograms()
try {
  const { runChecks } = await import('./checks.js')
  add(await runChecks())
  await ensureBuilt()
  await runVitest()
  if (existsSync(join(project, 'playwright.config.ts'))) await runPlaywright()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed${skipped}\n`)
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)
