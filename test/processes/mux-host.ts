/**
 * A host process with one worker at a mux whose "FFmpeg" never ends. It plays the host's part of the protocol and
 * tells its parent the pids of the worker and of FFmpeg's group once FFmpeg runs.
 *
 * Arguments: working folder (with `video` and `audio` in it), path of the program in FFmpeg's place.
 */
import { join } from 'node:path'
import { entryPoint } from '../../src/adapters/entry-point.ts'
import { forkLauncher } from '../../src/adapters/workers/launcher.ts'
import { SupervisedWorkerPool } from '../../src/adapters/workers/supervised-worker-pool.ts'
import { muxOrder } from './mux-order.ts'

const [workingFolder = '', ffmpegPath = ''] = process.argv.slice(2)
const pool = new SupervisedWorkerPool(forkLauncher({ entry: entryPoint('worker') }))
const lease = await pool.acquire({
  onMessage: (message) => {
    if (message.kind !== 'child-started') return
    const { attemptId, token, pid, startTime } = message
    lease.send({ kind: 'child-recorded', attemptId, token, pid })
    process.send?.({
      worker: { pid: lease.pid, startTime: lease.startTime },
      ffmpeg: { pid, startTime },
    })
  },
  onEnd: () => null,
})
lease.send(muxOrder({ token: 1, workingFolder, ffmpegPath, publishTo: join(workingFolder, '..', 'out') }))
