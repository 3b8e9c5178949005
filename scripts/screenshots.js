// `npm run screenshots`: pictures of every screen in both themes and languages, wide and narrow, for eyes.
import { join } from 'node:path'
import { project, projectEnvironment, run } from './run.js'
import * as setUp from './set-up.js'

await setUp.ensureInstalled()
await setUp.ensureBuilt()
const folder = join(project, '.screenshots')
const env = { ...projectEnvironment(), SLUICE_SCREENSHOTS: folder }
const args = ['test', 'screenshots', '--project', process.argv[2] ?? 'server']
const { code } = await run('playwright', args, { inherit: true, env })
process.stdout.write(`Pictures are in ${folder}\n`)
process.exit(code)
