/** `npm test`: installs what is missing, then every check and every test. The last line is the sum. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { runChecks } from './checks.js'
import { project, projectEnvironment, runTool } from './run.js'
import { ensureBuilt, ensureInstalled } from './set-up.js'
import { ensureTestPrograms } from './test-programs.js'

const total = { passed: 0, failed: 0, skipped: 0 }
const scratch = mkdtempSync(path.join(os.tmpdir(), 'sluice-test-'))

/** Adds the counts of a runner's report. A runner that failed without a failing test counts as one failure. */
function add(code, report, countsOf) {
  const counts = existsSync(report)
    ? countsOf(JSON.parse(readFileSync(report, 'utf8')))
    : { passed: 0, failed: 0, skipped: 0 }
  // an error outside of tests (an unhandled rejection, a missing report) shows by the exit code alone
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  for (const key of Object.keys(total)) total[key] += counts[key]
}

/** A file that failed without a failing test in it: it could not be loaded. */
function isBrokenSuite(suite) {
  return suite.status === 'failed' && suite.assertionResults.every((test) => test.status !== 'failed')
}

async function runVitest() {
  const report = path.join(scratch, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await runTool('vitest/vitest.mjs', ['run', ...reporters], { inherit: true })
  add(code, report, (json) => ({
    passed: json.numPassedTests,
    failed: json.numFailedTests + json.testResults.filter(isBrokenSuite).length,
    skipped: json.numPendingTests + json.numTodoTests,
  }))
}

function hasSpecs() {
  return (
    existsSync(path.join(project, 'playwright.config.ts')) &&
    readdirSync(path.join(project, 'e2e'), { recursive: true }).some((name) => /\.spec\.ts$/.test(name))
  )
}

async function runPlaywright() {
  const report = path.join(scratch, 'playwright.json')
  const env = { ...projectEnvironment(), PLAYWRIGHT_JSON_OUTPUT_NAME: report }
  const { code } = await runTool('@playwright/test/cli.js', ['test', '--reporter=list,json'], {
    inherit: true,
    env,
  })
  add(code, report, ({ stats }) => ({
    passed: stats.expected,
    failed: stats.unexpected,
    skipped: stats.skipped,
  }))
}

try {
  await ensureInstalled()
  await ensureTestPrograms()
  const checks = await runChecks()
  total.passed += checks.passed
  total.failed += checks.failed
  await ensureBuilt()
  await runVitest()
  if (hasSpecs()) await runPlaywright()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed${skipped}\n`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
