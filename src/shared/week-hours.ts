/**
 * Hours of the week in which downloads run without restraint. Times are local; a window that ends before it begins
 * ends on the next day. Minutes of the week count from Monday 00:00.
 */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const dayMinutes = 24 * 60
export const weekMinutes = weekdays.length * dayMinutes

export interface HoursWindow {
  day: (typeof weekdays)[number]
  /** `HH:MM`, 00:00–23:59 */
  from: string
  /** `HH:MM`, up to 24:00; before `from`: on the next day */
  to: string
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Begin and length in minutes of the week. */
function spanOf({ day, from, to }: HoursWindow): { begin: number; length: number } {
  const [start, end] = [minutesOf(from), minutesOf(to)]
  const length = end > start ? end - start : end - start + dayMinutes
  return { begin: weekdays.indexOf(day) * dayMinutes + start, length }
}

function since(begin: number, minute: number): number {
  return (((minute - begin) % weekMinutes) + weekMinutes) % weekMinutes
}

/** Without any window there is no restraint, so that nobody locks the queue up for ever by an empty list. */
export function isWithinHours(windows: readonly HoursWindow[], minute: number): boolean {
  if (windows.length === 0) return true
  return windows.some((window) => {
    const { begin, length } = spanOf(window)
    return since(begin, minute) < length
  })
}

/** Minutes until hours begin or end, whichever is next; null when they never do. */
export function minutesUntilChange(windows: readonly HoursWindow[], minute: number): number | null {
  const now = isWithinHours(windows, minute)
  const borders = windows
    .flatMap((window) => {
      const { begin, length } = spanOf(window)
      return [since(minute, begin), since(minute, begin + length)]
    })
    .map((distance) => (distance === 0 ? weekMinutes : distance))
    .toSorted((a, b) => a - b)
  return borders.find((distance) => isWithinHours(windows, minute + distance) !== now) ?? null
}
