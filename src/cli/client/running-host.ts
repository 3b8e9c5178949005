/** Finding the host to talk to: by the announcement in its data folder, with the secret that lies beside it. */
import { resolve } from 'node:path'
import { findHost } from '../../adapters/host-file.ts'
import type { RunningHost } from '../../adapters/host-file.ts'
import { readSecret } from '../../adapters/secret-file.ts'
import { defaultDataFolder, desktopDataFolder } from '../../adapters/user-folders.ts'
import { SluiceError } from '../../shared/errors.ts'

/** No host runs where we looked: an exit code of its own tells scripts to start one. */
export class NoRunningHost extends SluiceError {}

export interface FoundHost {
  address: RunningHost
  dataFolder: string
  secret: string
  /** whether the secret came from SLUICE_SECRET */
  isSecretFromEnvironment: boolean
}

/** The folders that a host may have announced itself in: the one that is named, else the server's and the desktop app's. */
function dataFolders(named: string | undefined, environment: NodeJS.ProcessEnv): [string, ...string[]] {
  const one = named ?? environment['SLUICE_DATA_DIR']
  return one === undefined ? [defaultDataFolder(), desktopDataFolder()] : [resolve(one)]
}

type Announced = Pick<FoundHost, 'address' | 'dataFolder'>

async function findAnnounced(folders: readonly string[]): Promise<Announced | null> {
  for (const dataFolder of folders) {
    const address = await findHost(dataFolder)
    if (address !== null) return { address, dataFolder }
  }
  return null
}

/** The data folder of the host that runs; without one, the folder that `sluice serve` would take. */
export async function findDataFolder(
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const folders = dataFolders(named, environment)
  return (await findAnnounced(folders))?.dataFolder ?? folders[0]
}

/**
 * @param named what --data-dir says
 * @throws NoRunningHost; SluiceError `UNAUTHORIZED` when its secret cannot be read
 */
export async function findRunningHost(
  named: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<FoundHost> {
  const folders = dataFolders(named, environment)
  const announced = await findAnnounced(folders)
  if (announced === null) {
    throw new NoRunningHost('NETWORK_ERROR', `No host runs with the data folder ${folders.join(' or ')}`, {
      hint: 'Start one with "sluice serve", turn on the local API in the app, or name another folder with --data-dir.',
    })
  }
  const given = environment['SLUICE_SECRET']
  const secret = given ?? secretOf(announced.dataFolder)
  return { ...announced, secret, isSecretFromEnvironment: given !== undefined }
}

function secretOf(dataFolder: string): string {
  let secret: string | null
  try {
    secret = readSecret(dataFolder)
  } catch (cause) {
    throw new SluiceError('UNAUTHORIZED', 'The secret of the host cannot be read', {
      hint: 'Ask as the user that the host runs as, or set SLUICE_SECRET.',
      cause,
    })
  }
  if (secret !== null) return secret
  throw new SluiceError('UNAUTHORIZED', 'The host has a secret of its own', {
    hint: 'Set SLUICE_SECRET to the one it was started with.',
  })
}
