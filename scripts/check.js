/** `npm run check`: format, lint, types, dependency rules, unused code. */
import { runChecks } from './checks.js'
import { ensureInstalled } from './set-up.js'

await ensureInstalled()
const { passed, failed } = await runChecks()
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
