/** All ports of one data folder over Node, for every host: taken in the order in which they depend on each other. */
import type { Ports } from '../core/ports.ts'
import { SystemClock } from './clock.ts'
import { lockDataFolder } from './data-folder.ts'
import { NodeFileSystem } from './file-system.ts'
import { TcpNetworkProbe } from './network-probe.ts'
import { CryptoRandom } from './random.ts'
import { openGuardedKey } from './secret-key.ts'
import type { KeyGuard } from './secret-key.ts'
import { SqliteTaskStore } from './store/sqlite-task-store.ts'
import type { WorkerLauncher } from './workers/launcher.ts'
import { SupervisedWorkerPool } from './workers/supervised-worker-pool.ts'

export interface OpenPorts {
  ports: Ports
  /** Frees the data folder for another host; after the task service has stopped. */
  release: () => void
}

/**
 * Locks the data folder, opens the database and starts the first worker beside it.
 * @throws SluiceError `CONFLICT` when another host holds the folder, `STORAGE_UNAVAILABLE`, `STORAGE_FULL`
 */
export async function openPorts(options: {
  dataFolder: string
  launcher: WorkerLauncher
  /** the system's key store, where there is one */
  keyGuard?: KeyGuard
  /** whether the database has a thread of its own; true unless told */
  storeInThread?: boolean
}): Promise<OpenPorts> {
  const lock = lockDataFolder(options.dataFolder)
  const workers = new SupervisedWorkerPool(options.launcher)
  // a worker that cannot be started is told by the first attempt that needs one
  workers.warm().catch(() => null)
  try {
    const { dataFolder, keyGuard, storeInThread: inThread = true } = options
    const guardedKey = keyGuard === undefined ? null : await openGuardedKey(dataFolder, keyGuard)
    const store = await SqliteTaskStore.open({ dataFolder, guardedKey, inThread })
    return {
      ports: {
        clock: new SystemClock(),
        random: new CryptoRandom(),
        store,
        workers,
        files: new NodeFileSystem(),
        network: new TcpNetworkProbe(),
      },
      release: () => lock.release(),
    }
  } catch (error) {
    await workers.close()
    lock.release()
    throw error
  }
}
