/** How a command is asked to stop: Ctrl+C, a signal, or the end of the launcher that started us. */
import { exitCodes } from './exit-codes.ts'

/**
 * Resolves with the first of them; what comes after it ends the process at once. From the call on, no signal ends the
 * process by itself.
 */
export function interruption(): Promise<'interrupted'> {
  return new Promise((resolve) => {
    let isAsked = false
    const ask = () => {
      if (isAsked) process.exit(exitCodes.interrupted)
      isAsked = true
      resolve('interrupted')
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)
    // `bin/sluice` under an older Node keeps a channel open to us; it closes when that process is killed
    process.once('disconnect', ask)
    process.channel?.unref()
  })
}
