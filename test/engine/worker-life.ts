/** One life of a real worker process with one download to do, and the host's side of it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { workerFlags } from '../../src/adapters/workers/launcher.ts'
import type { Checkpoint } from '../../src/shared/task/resource.ts'
import type { HostMessage, StepOutcome, WorkerMessage } from '../../src/shared/worker-protocol.ts'
import type { FetchOrder } from '../../src/worker/transfer/fetch-order.ts'

const program = fileURLToPath(new URL('quick-worker-process.ts', import.meta.url))

export interface Life {
  /** null: it was killed before */
  outcome: StepOutcome | null
  /** the last one that the host heard of */
  checkpoint: Checkpoint | null
  /** most memory that the process held, in bytes; 0 where the system does not tell */
  mostBytes: number
}

export interface LifeOptions {
  /** kill it this long after its first progress */
  killAfterMs?: number
  /** freeze it at its first checkpoint until this resolves, as when a machine sleeps */
  asleep?: () => Promise<void>
  bytesPerSecond?: number
  connections?: number
  /** time between two checkpoints, 50 unless said */
  checkpointMs?: number
}

/** Runs a download from a checkpoint on, until the worker ends or is killed. */
export async function live(
  order: FetchOrder,
  token: number,
  before: Checkpoint | null,
  options: LifeOptions = {},
): Promise<Life> {
  const child = fork(program, [String(options.checkpointMs ?? 50)], {
    execArgv: [...process.execArgv, ...workerFlags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const life: Life = { outcome: null, checkpoint: before, mostBytes: 0 }
  const address = { attemptId: `attempt-${token}`, token }
  const send = (message: HostMessage) => child.send([message])
  let timer: NodeJS.Timeout | undefined
  let sleeps = options.asleep
  const hear = (message: WorkerMessage): void => {
    if (message.kind === 'progress' && options.killAfterMs !== undefined) {
      timer ??= setTimeout(() => child.kill('SIGKILL'), options.killAfterMs)
    }
    // The host stores a checkpoint when it hears of it; what it never heard of does not count.
    if (message.kind === 'checkpoint') {
      life.checkpoint = message.checkpoint
      if (sleeps !== undefined) {
        child.kill('SIGSTOP')
        void sleeps().finally(() => child.kill('SIGCONT'))
        sleeps = undefined
      }
    }
    if (message.kind === 'ready') {
      send({ kind: 'publish', ...address, stepId: 'step', to: order.publishTo ?? '' })
    }
    if (message.kind === 'outcome') {
      life.outcome = message.outcome
      void mostMemory(child.pid ?? 0).then((bytes) => {
        life.mostBytes = bytes
        child.disconnect()
      })
    }
  }
  child.on('message', (batch: WorkerMessage[]) => batch.forEach(hear))
  send({
    kind: 'run-step',
    ...address,
    stepId: 'step',
    order,
    checkpoint: before,
    failures: 0,
    limits: {
      connections: options.connections ?? 4,
      bytesPerSecond: options.bytesPerSecond ?? null,
      retryBudget: 5,
      stallTimeoutMs: 20_000,
    },
  })
  await once(child, 'exit')
  clearTimeout(timer)
  return life
}

async function mostMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}
