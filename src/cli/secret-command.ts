/** `sluice secret`: shows what clients of this machine's host have to give, or replaces it. */
import { readSecret, rotateSecret } from '../adapters/secret-file.ts'
import { SluiceError } from '../shared/errors.ts'
import { findDataFolder, findRunningHost } from './client/running-host.ts'
import { exitCodes } from './exit-codes.ts'

export interface SecretOptions {
  dataDir?: string
  rotate?: boolean
  link?: boolean
}

export async function runSecret(options: SecretOptions): Promise<number> {
  const folder = await findDataFolder(options.dataDir, process.env)
  const secret = options.rotate === true ? rotate(folder) : stored(folder)
  const shown = options.link === true ? await linkOf(options, secret) : secret
  process.stdout.write(`${shown}\n`)
  return exitCodes.whole
}

/** What a browser on this machine opens; the secret is in the part that is never sent. */
async function linkOf({ dataDir }: SecretOptions, secret: string): Promise<string> {
  const { host, port } = (await findRunningHost(dataDir, process.env)).address
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/#secret=${encodeURIComponent(secret)}`
}

function rotate(folder: string): string {
  if (process.env['SLUICE_SECRET'] === undefined) return rotateSecret(folder)
  throw new SluiceError('CONFLICT', 'SLUICE_SECRET decides the secret here', {
    hint: 'Change the variable and start the host again, or unset it to use the secret of the data folder.',
  })
}

function stored(folder: string): string {
  const secret = process.env['SLUICE_SECRET'] ?? readSecret(folder)
  if (secret !== null) return secret
  throw new SluiceError('STORAGE_UNAVAILABLE', `The data folder ${folder} has no secret yet`, {
    hint: 'It is made when a host starts with it, or now by "sluice secret --rotate".',
  })
}
