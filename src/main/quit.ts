/**
 * Quitting: the first request is held back until every run has stopped at a checkpoint, then the app leaves for
 * good. A request that comes meanwhile changes nothing.
 */
import type { App } from 'electron'

/** How long runs may take to reach a checkpoint, in ms. */
export const stopGraceMs = 5000
/** When even killing what did not stop, and closing the database, does not end, in ms after the grace. */
const lastResortMs = 3000

export interface QuitSteps {
  /** at once: what the user sees */
  hide: () => void
  /** Stops the service within `graceMs`. */
  stop: (graceMs: number) => Promise<void>
  onFault: (error: unknown) => void
}

/** Returns whether the app is on its way out. */
export function stopBeforeQuit(app: Pick<App, 'on' | 'exit'>, steps: QuitSteps): () => boolean {
  let quitting = false
  app.on('before-quit', (event) => {
    event.preventDefault()
    if (quitting) return
    quitting = true
    steps.hide()
    const giveUp = setTimeout(() => {
      app.exit(1)
    }, stopGraceMs + lastResortMs)
    steps
      .stop(stopGraceMs)
      .catch(steps.onFault)
      .finally(() => {
        clearTimeout(giveUp)
        app.exit(0)
      })
  })
  return () => quitting
}
