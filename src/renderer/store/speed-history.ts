/**
 * The total speed of the last minute, one figure a second. The host tells the speed only when it changes, so the
 * seconds are counted here, and only while there is something to see move.
 */
import type { Bridge } from '../../shared/contract/bridge.ts'
import { speedHistoryLength } from './app-state.ts'
import type { AppStore } from './app-store.ts'

const secondMs = 1000

export function followSpeed(bridge: Bridge, store: AppStore): void {
  let timer: ReturnType<typeof setInterval> | undefined

  const tick = (): void => {
    const { bytesPerSecond, speeds } = store.getState()
    const next = [...speeds, bytesPerSecond].slice(-speedHistoryLength)
    if (next.some((speed) => speed > 0)) {
      store.setState({ speeds: next })
      return
    }
    clearInterval(timer)
    timer = undefined
    store.setState({ speeds: [] })
  }

  bridge.on('stats', ({ bytesPerSecond }) => {
    store.setState({ bytesPerSecond })
    if (timer !== undefined || bytesPerSecond === 0) return
    timer = setInterval(tick, secondMs)
    tick()
  })
}
