// `npm run check`: format, lint, types, dependency rules, unused code.
import { runChecks } from './checks.js'

const { failed } = await runChecks()
process.exit(failed === 0 ? 0 : 1)
