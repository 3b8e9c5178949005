/** A lease whose news can be awaited, and which plays the host's part while the worker works. */
import type { WorkerEnd, WorkerLease, WorkerPool } from '../../src/core/ports.ts'
import type { WorkerMessage } from '../../src/shared/worker-protocol.ts'

export interface LeasedWorker {
  lease: WorkerLease
  messages: WorkerMessage[]
  end: Promise<WorkerEnd>
  /** every end that was told */
  ends: WorkerEnd[]
  /** the first message of this kind, seen or to come */
  until: <K extends WorkerMessage['kind']>(kind: K) => Promise<Extract<WorkerMessage, { kind: K }>>
}

/** @param publishTo the name that is granted */
export async function leaseWorker(pool: WorkerPool, publishTo = '', wish?: 'alone'): Promise<LeasedWorker> {
  const messages: WorkerMessage[] = []
  const ends: WorkerEnd[] = []
  const listeners = new Set<() => void>()
  const end = Promise.withResolvers<WorkerEnd>()
  const handlers: Parameters<WorkerPool['acquire']>[0] = {
    onMessage: (message) => {
      messages.push(message)
      const { attemptId, token } = message
      if (message.kind === 'child-started') {
        lease.send({ kind: 'child-recorded', attemptId, token, pid: message.pid })
      }
      if (message.kind === 'ready') {
        lease.send({ kind: 'publish', attemptId, token, stepId: message.stepId, to: publishTo })
      }
      for (const look of [...listeners]) look()
    },
    onEnd: (how) => {
      ends.push(how)
      end.resolve(how)
    },
  }
  const lease = await pool.acquire(handlers, wish)
  const until: LeasedWorker['until'] = <K extends WorkerMessage['kind']>(kind: K) =>
    new Promise<Extract<WorkerMessage, { kind: K }>>((resolve) => {
      const isWanted = (message: WorkerMessage): message is Extract<WorkerMessage, { kind: K }> =>
        message.kind === kind
      const look = () => {
        const found = messages.find(isWanted)
        if (found === undefined) return
        listeners.delete(look)
        resolve(found)
      }
      listeners.add(look)
      look()
    })
  return { lease, messages, end: end.promise, ends, until }
}
