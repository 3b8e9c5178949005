/** Typed times as windows of the schedule; null for what would be none. Pure. */
import type { HoursWindow } from '../../../shared/week-hours.ts'

/** as many as the host takes */
export const mostWindows = 100

function checked(window: HoursWindow): HoursWindow | null {
  return window.from === window.to ? null : window
}

export function withFrom(window: HoursWindow, typed: string): HoursWindow | null {
  return typed === '' ? null : checked({ ...window, from: typed })
}

/** Midnight as an end is the end of the day. */
export function withEnd(window: HoursWindow, typed: string): HoursWindow | null {
  return typed === '' ? null : checked({ ...window, to: typed === '00:00' ? '24:00' : typed })
}
