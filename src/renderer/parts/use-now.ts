import { useSyncExternalStore } from 'react'

/** One clock for all that counts seconds; it runs only while something on the screen does. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const each of listeners) each()
    }, 1000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

const still = (): (() => void) => () => undefined
const running = (): number => now
/** Dates only need the minute; a figure that changed with every look would never let React rest. */
const thisMinute = (): number => Math.floor(Date.now() / 60_000) * 60_000

/** The time in milliseconds. While `ticks`, the component is drawn again each second; else it is the minute's. */
export function useNow(ticks: boolean): number {
  return useSyncExternalStore(ticks ? subscribe : still, ticks ? running : thisMinute)
}
