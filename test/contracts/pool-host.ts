/** A host process with one leased worker, which tells the worker's pid once that is up, and waits to be killed. */
import { entryPoint } from '../../src/adapters/entry-point.ts'
import { forkLauncher } from '../../src/adapters/workers/launcher.ts'
import { SupervisedWorkerPool } from '../../src/adapters/workers/supervised-worker-pool.ts'
import { sampleTask } from './sample-task.ts'

const pool = new SupervisedWorkerPool(forkLauncher({ entry: entryPoint('worker') }))
const lease = await pool.acquire({
  onMessage: (message) => {
    if (message.kind === 'outcome') process.send?.(lease.pid)
  },
  onEnd: () => null,
})
lease.send({
  kind: 'run-step',
  attemptId: 'a',
  token: 1,
  stepId: 'resolve',
  order: {
    kind: 'resolve',
    // a port that no link may lead to: it is answered without a connection
    parameters: { ...sampleTask('a').parameters, link: { kind: 'single', url: 'http://127.0.0.1:22/' } },
  },
  checkpoint: null,
  failures: 0,
  limits: { connections: 1, bytesPerSecond: null, retryBudget: 0, stallTimeoutMs: 1000 },
})
