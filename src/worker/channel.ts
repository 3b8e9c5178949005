/**
 * The line to the host process: Node's IPC of a forked process, or the parent port of Electron's utility
 * process. The worker's code is the same on both and imports no Electron.
 */

export interface Channel {
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

/** @throws Error when the process has no host to talk to */
export function openChannel(): Channel {
  const port = parentPort()
  if (port !== undefined) {
    return {
      send: (message) => port.postMessage(message),
      onMessage: (listener) => port.on('message', ({ data }) => listener(data)),
      onClose: (listener) => port.on('close', listener),
    }
  }
  if (process.send === undefined) throw new Error('A worker is started by the host process, not by hand')
  return {
    send: (message) => {
      // what cannot be sent is for a host that is gone: the disconnection ends this process
      if (process.connected) process.send?.(message, undefined, undefined, () => null)
    },
    onMessage: (listener) => void process.on('message', listener),
    onClose: (listener) => void process.on('disconnect', listener),
  }
}
