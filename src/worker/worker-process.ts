/**
 * The worker as a process: it takes the host's messages, one attempt at a time, and goes when the host is gone.
 */
import type { HostMessage } from '../shared/worker-protocol.ts'
import { Attempt } from './attempt.ts'
import type { Executors } from './attempt.ts'
import type { Channel } from './channel.ts'
import type { HostNews } from './host-news.ts'

/** Time that stopping steps get to close their files once the host is gone. */
const lastWordsMs = 1_000

/** Serves the channel until it closes, then ends the process within two seconds. */
export function serveHost(
  channel: Channel,
  executors: Executors,
  hostNews: () => HostNews[] = () => [],
): void {
  let attempt: Attempt | null = null

  channel.onMessage((raw) => {
    // trusted: see `HostMessage`. A validator would be a third of what a worker takes to start.
    const message = raw as HostMessage
    if (attempt?.token !== message.token) {
      // a stale order, or news for an attempt that has ended here
      if (message.kind !== 'run-step' || message.token < (attempt?.token ?? 0)) return
      attempt?.end('discard')
      attempt = new Attempt(message, executors, (report) => channel.send(report), hostNews)
    }
    attempt.handle(message)
  })

  channel.onClose(() => {
    attempt?.end('checkpoint')
    setTimeout(() => process.exit(0), attempt?.isAtWork === true ? lastWordsMs : 0)
  })
}
