/** What the server is told at its start: options, then the environment, then what is usual. */
import { resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { defaultDataFolder, downloadsFolder } from '../adapters/user-folders.ts'
import { SluiceError } from '../shared/errors.ts'

export interface ServeOptions {
  /** address to listen on */
  host: string
  /** 0: any free one */
  port: number
  dataFolder: string
  /** the only folders that clients may save into; the first one is the default */
  downloadRoots: readonly [string, ...string[]]
  /** open a browser at the start */
  open: boolean
  /** null: the one of the data folder */
  secret: string | null
}

export const defaultPort = 8786
/** Characters that a secret must have where others can reach the port. */
const shortestOpenSecret = 16

const loopback = ['127.0.0.1', '::1', 'localhost']

/**
 * Reads the options of `serve`. Writes the help or what is wrong with them and throws commander's error.
 * @throws SluiceError `INVALID_INPUT` for what only shows when everything is known
 */
export function readServeOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): ServeOptions {
  const command = serveCommand().parse(argv, { from: 'user' })
  const given = command.opts<{
    host: string
    port: number
    dataDir?: string
    downloadRoot?: string[]
    open?: true
  }>()
  const secret = environment['SLUICE_SECRET'] ?? null
  checkSecret(given.host, secret)
  const [first = downloadsFolder(), ...others] = (given.downloadRoot ?? []).map((root) => resolve(root))
  return {
    host: given.host,
    port: given.port,
    dataFolder: resolve(given.dataDir ?? environment['SLUICE_DATA_DIR'] ?? defaultDataFolder()),
    downloadRoots: [first, ...others],
    open: given.open ?? false,
    secret,
  }
}

function serveCommand(): Command {
  return new Command('sluice serve')
    .description(
      'Runs the download manager without a window of its own: a browser shows it, programs drive it.',
    )
    .option('--port <number>', 'port to listen on; 0 takes any free one', readPort, defaultPort)
    .option(
      '--host <address>',
      'address to listen on; any but this machine itself needs SLUICE_SECRET',
      '127.0.0.1',
    )
    .option('--data-dir <folder>', 'folder of the list, the settings and the secret')
    .option(
      '--download-root <folder>',
      'folder that clients may save into, the first one by default; may be repeated',
      (folder: string, before: string[] | undefined) => [...(before ?? []), folder],
    )
    .option('--open', 'open the window in a browser')
    .addHelpText(
      'after',
      `
Environment:
  SLUICE_SECRET    the secret that clients give, instead of the one in the data folder
  SLUICE_DATA_DIR  the data folder, unless --data-dir says otherwise

The link that is printed at the start holds the secret: whoever has it may do everything.`,
    )
    .exitOverride()
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  if (port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return port
}

function checkSecret(host: string, secret: string | null): void {
  // a header carries it: anything else would arrive in another form than it was given
  if (secret !== null && !/^[\x21-\x7e]+$/.test(secret)) {
    throw new SluiceError('INVALID_INPUT', 'SLUICE_SECRET is empty or has characters that cannot be sent', {
      hint: 'Use letters, digits and signs without spaces, or leave it out to use the secret of the data folder.',
    })
  }
  if (loopback.includes(host)) return
  if (secret === null) {
    throw new SluiceError('INVALID_INPUT', `Listening on ${host} needs a secret of your own`, {
      hint: 'Set SLUICE_SECRET, or listen on 127.0.0.1.',
    })
  }
  if (secret.length < shortestOpenSecret) {
    throw new SluiceError(
      'INVALID_INPUT',
      'SLUICE_SECRET is too short for an address that others can reach',
      {
        hint: `Give it at least ${shortestOpenSecret} characters.`,
      },
    )
  }
}
