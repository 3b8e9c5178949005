/**
 * The program `server`: `sluice serve` without the launcher. Exit codes: 0 stopped as asked, 1 could not start or
 * broke, 2 bad usage.
 */
import { CommanderError } from 'commander'
import packageFacts from '../../package.json' with { type: 'json' }
import { toErrorRecord } from '../shared/errors.ts'
import { createLog } from '../http/log.ts'
import { openInBrowser } from './open-in-browser.ts'
import { readServeOptions, unknownVariables } from './options.ts'
import type { ServeOptions } from './options.ts'
import { serve } from './serve.ts'

const log = createLog((line) => process.stderr.write(line))

/** `sluice serve …` hands its arguments over as they are. */
const argv = process.argv.slice(2)
const options = readOptions(argv[0] === 'serve' ? argv.slice(1) : argv)
if (options !== null) void run(options)

function readOptions(given: readonly string[]): ServeOptions | null {
  try {
    return readServeOptions(given, process.env)
  } catch (error) {
    // commander has written what is wrong, or the help that was asked for
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
    else fail(error, 2)
    return null
  }
}

async function run(given: ServeOptions): Promise<void> {
  const unknown = unknownVariables(process.env)
  if (unknown.length > 0) log.warn({ variables: unknown }, 'These variables mean nothing to the server')
  try {
    const server = await serve(given, { version: packageFacts.version, log })
    stopOnSignals(() => server.stop())
    const link = `${server.address}#secret=${encodeURIComponent(server.secret)}`
    if (!server.hasWindow) log.warn('The window is not built (npm run build): only the API is served')
    process.stdout.write(`Sluice is at ${link}\n`)
    if (given.open) await openInBrowser(link, (line) => process.stderr.write(`${line}\n`))
  } catch (error) {
    fail(error, 1)
    // what half started (a thread, a worker) must not keep the process
    process.exit()
  }
}

/** One wish to stop may arrive twice, to the whole group and passed on by the launcher, within so many ms. */
const sameWishMs = 500

/** The first signal stops in order, a second one at once: everything is durable as far as it was acknowledged. */
function stopOnSignals(stop: () => Promise<void>): void {
  let askedAt: number | null = null
  const onSignal = (): void => {
    if (askedAt !== null) {
      if (performance.now() - askedAt > sameWishMs) process.exit(1)
      return
    }
    askedAt = performance.now()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        fail(error, 1)
        process.exit()
      },
    )
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

/** One line with the code, one with the next step. */
function fail(error: unknown, exitCode: number): void {
  const { code, message, hint } = toErrorRecord(error)
  if (code === 'INTERNAL') log.error({ err: error }, 'A fault inside the app')
  process.stderr.write(`sluice: ${message} (${code})\n${hint}\n`)
  process.exitCode = exitCode
}
