/** Keeps the computer from sleeping while something is downloading; the screen may go dark. */
import type { PowerSaveBlocker } from 'electron'

export class KeepAwake {
  readonly #blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>
  #id: number | null = null

  constructor(blocker: Pick<PowerSaveBlocker, 'start' | 'stop'>) {
    this.#blocker = blocker
  }

  while(isRunning: boolean): void {
    if (isRunning && this.#id === null) this.#id = this.#blocker.start('prevent-app-suspension')
    if (!isRunning && this.#id !== null) {
      this.#blocker.stop(this.#id)
      this.#id = null
    }
  }
}
