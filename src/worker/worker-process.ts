/**
 * The worker as a process: it takes the host's messages for the attempts it has at work, and goes when the host is
 * gone. Attempts share the process and what the engine holds of hosts and memory; an order never reaches another one
 * than it names.
 */
import type { HostMessage } from '../shared/worker-protocol.ts'
import { Attempt } from './attempt.ts'
import type { Executors } from './attempt.ts'
import type { Channel } from './channel.ts'
import { EndedTokens } from './ended-tokens.ts'
import type { HostNews } from './host-news.ts'

type RunStep = Extract<HostMessage, { kind: 'run-step' }>

/** Time that stopping steps get to close their files once the host is gone. */
const lastWordsMs = 1_000

/** What one attempt works with. */
export interface AttemptTools {
  readonly executors: Executors
  /** nothing of the attempt is left */
  close(): void
}

/** Serves the channel until it closes, then ends the process within two seconds. */
export function serveHost(
  channel: Channel,
  toolsForAttempt: () => AttemptTools,
  hostNews: () => HostNews[] = () => [],
): void {
  const attempts = new Map<number, Attempt>()
  const ended = new EndedTokens()

  const begin = (first: RunStep): Attempt => {
    const tools = toolsForAttempt()
    const onGone = () => {
      attempts.delete(first.token)
      tools.close()
    }
    const attempt = new Attempt(first, tools.executors, (report) => channel.send(report), hostNews, onGone)
    attempts.set(first.token, attempt)
    return attempt
  }

  channel.onMessage((raw) => {
    // trusted: see `HostMessage`. A validator would be a third of what a worker takes to start.
    const message = raw as HostMessage
    const attempt = attempts.get(message.token)
    if (message.kind === 'run-step') {
      // also while what it had at work still ends
      if (!ended.has(message.token)) (attempt ?? begin(message)).handle(message)
      return
    }
    if (message.kind === 'end-attempt') ended.add(message.token)
    attempt?.handle(message)
  })

  channel.onClose(() => {
    for (const attempt of attempts.values()) attempt.end('checkpoint')
    const isAtWork = [...attempts.values()].some((attempt) => attempt.isAtWork)
    setTimeout(() => process.exit(0), isAtWork ? lastWordsMs : 0)
  })
}
