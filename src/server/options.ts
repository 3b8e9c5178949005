/** What the server is told at its start: options, then the environment, then what is usual. */
import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { defaultDataFolder, downloadsFolder } from '../adapters/user-folders.ts'
import { SluiceError } from '../shared/errors.ts'
import { allowedOriginForm } from '../shared/settings.ts'
import { defaultPort, serveDescription, serveManual, serveOptionFacts } from '../shared/serve-options.ts'

export interface ServeOptions {
  /** address to listen on */
  host: string
  /** 0: any free one */
  port: number
  dataFolder: string
  /** the only folders that clients may save into; the first one is the default */
  downloadRoots: readonly [string, ...string[]]
  /** origins of browser extensions that may use the API */
  allowedOrigins: readonly string[]
  /** open a browser at the start */
  open: boolean
  /** null: the one of the data folder */
  secret: string | null
  /** the API tells what the program itself said of failed jobs */
  debugApi: boolean
}

const secretVariable = 'SLUICE_SECRET'
const dataFolderVariable = 'SLUICE_DATA_DIR'

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
    host?: string
    port?: number
    dataDir?: string
    downloadRoot?: string[]
    allowOrigin?: string[]
    open?: true
    debugApi?: true
  }>()
  const { host = '127.0.0.1', port = defaultPort } = given
  const secret = environment[secretVariable] ?? null
  checkSecret(host, secret)
  const [first = downloadsFolder(), ...others] = (given.downloadRoot ?? []).map((root) => resolve(root))
  return {
    host,
    port,
    dataFolder: resolve(given.dataDir ?? environment[dataFolderVariable] ?? defaultDataFolder()),
    downloadRoots: [first, ...others],
    allowedOrigins: given.allowOrigin ?? [],
    open: given.open ?? false,
    debugApi: given.debugApi ?? false,
    secret,
  }
}

/**
 * Variables that look like ours and mean nothing to the server, in the order of the alphabet: misspelt ones, mostly.
 * They are told and not refused, since Kubernetes sets some of its own (`SLUICE_PORT`) beside a service of this name.
 */
export function unknownVariables(environment: NodeJS.ProcessEnv): string[] {
  const known = [secretVariable, dataFolderVariable]
  return Object.keys(environment)
    .filter((name) => name.startsWith('SLUICE_') && !known.includes(name))
    .toSorted()
}

const collect = (folder: string, before: string[] | undefined): string[] => [...(before ?? []), folder]

function serveCommand(): Command {
  const { port, host, dataDir, downloadRoot, allowOrigin, open, debugApi } = serveOptionFacts
  return new Command('sluice serve')
    .description(serveDescription)
    .addOption(new Option(port.flags, port.description).argParser(readPort))
    .option(host.flags, host.description)
    .option(dataDir.flags, dataDir.description)
    .option(downloadRoot.flags, downloadRoot.description, collect)
    .option(allowOrigin.flags, allowOrigin.description, collectOrigins)
    .option(open.flags, open.description)
    .option(debugApi.flags, debugApi.description)
    .addHelpText('after', serveManual)
    .exitOverride()
}

function collectOrigins(origin: string, before: string[] | undefined): string[] {
  if (origin === '' || !allowedOriginForm.test(origin)) {
    throw new InvalidArgumentError('An origin is a scheme and a host, such as moz-extension://…')
  }
  return collect(origin, before)
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
