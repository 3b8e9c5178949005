/**
 * The line to the host process: Node's IPC of a forked process, or the parent port of Electron's utility
 * process. The worker's code is the same on both and imports no Electron.
 */
import { inBatches } from '../shared/in-batches.ts'

export interface Channel {
  /** What is sent in one turn of the loop goes as one batch, in order, at the end of the turn. */
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  /** The host is gone or has let this worker go. */
  onClose(listener: () => void): void
}

/** What Electron puts on `process` in a utility process, as far as it is used here. */
interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  on(event: 'close', listener: () => void): void
}

function parentPort(): ParentPort | undefined {
  // Electron adds this property; Node's types know nothing of it, and Electron's where they are seen say it is there
  return (process as unknown as { parentPort?: ParentPort }).parentPort
}

function each(batch: unknown, listener: (message: unknown) => void): void {
  // trusted: see `HostMessage`
  for (const message of batch as readonly unknown[]) listener(message)
}

/** @throws Error when the process has no host to talk to */
export function openChannel(): Channel {
  const port = parentPort()
  if (port !== undefined) {
    return {
      send: inBatches((batch) => port.postMessage(batch), setImmediate),
      onMessage: (listener) => port.on('message', ({ data }) => each(data, listener)),
      onClose: (listener) => port.on('close', listener),
    }
  }
  if (process.send === undefined) throw new Error('A worker is started by the host process, not by hand')
  return {
    send: inBatches((batch) => {
      // what cannot be sent is for a host that is gone: the disconnection ends this process
      if (process.connected) process.send?.(batch, undefined, undefined, () => null)
    }, setImmediate),
    onMessage: (listener) => void process.on('message', (batch) => each(batch, listener)),
    onClose: (listener) => void process.on('disconnect', listener),
  }
}
