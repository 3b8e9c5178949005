/** A host process with one leased worker, which tells the worker's pid and waits to be killed. */
import { entryPoint } from '../../src/adapters/entry-point.ts'
import { forkLauncher } from '../../src/adapters/workers/launcher.ts'
import { SupervisedWorkerPool } from '../../src/adapters/workers/supervised-worker-pool.ts'

const pool = new SupervisedWorkerPool(forkLauncher({ entry: entryPoint('worker') }))
const lease = await pool.acquire({ onMessage: () => null, onEnd: () => null })
process.send?.(lease.pid)
