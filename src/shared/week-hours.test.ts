import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { settingsSchema } from './settings.ts'
import type { HoursWindow } from './week-hours.ts'
import { isWithinHours, minutesUntilChange, weekdays, weekMinutes } from './week-hours.ts'

const at = (day: (typeof weekdays)[number], hours: number, minutes = 0): number =>
  weekdays.indexOf(day) * 1440 + hours * 60 + minutes

const night: HoursWindow = { day: 'sun', from: '22:00', to: '06:30' }
const lunch: HoursWindow = { day: 'wed', from: '12:00', to: '13:00' }

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

const anyWindow: fc.Arbitrary<HoursWindow> = fc
  .record({
    day: fc.constantFrom(...weekdays),
    from: fc.nat({ max: 1439 }),
    to: fc.integer({ min: 0, max: 1440 }),
  })
  .filter(({ from, to }) => from !== to)
  .map(({ day, from, to }) => ({ day, from: clock(from), to: clock(to) }))

describe('hours of the week', () => {
  test('begin at their first minute and end before their last', () => {
    expect(isWithinHours([lunch], at('wed', 11, 59))).toBe(false)
    expect(isWithinHours([lunch], at('wed', 12))).toBe(true)
    expect(isWithinHours([lunch], at('wed', 12, 59))).toBe(true)
    expect(isWithinHours([lunch], at('wed', 13))).toBe(false)
    expect(isWithinHours([lunch], at('thu', 12, 30))).toBe(false)
  })

  test('go over midnight, also from Sunday to Monday', () => {
    expect(isWithinHours([night], at('sun', 23))).toBe(true)
    expect(isWithinHours([night], at('mon', 6, 29))).toBe(true)
    expect(isWithinHours([night], at('mon', 6, 30))).toBe(false)
    expect(isWithinHours([night], at('sat', 23))).toBe(false)
  })

  test('without a window are all hours', () => {
    expect(isWithinHours([], at('fri', 3))).toBe(true)
    expect(minutesUntilChange([], at('fri', 3))).toBeNull()
  })

  test('say when they change next', () => {
    expect(minutesUntilChange([night, lunch], at('wed', 11))).toBe(60)
    expect(minutesUntilChange([night, lunch], at('wed', 12))).toBe(60)
    expect(minutesUntilChange([night, lunch], at('wed', 13))).toBe(4 * 1440 + 9 * 60)
  })

  test('that touch are one: nothing changes where one ends and the next begins', () => {
    const touching: HoursWindow[] = [
      { day: 'mon', from: '08:00', to: '24:00' },
      { day: 'tue', from: '00:00', to: '09:00' },
    ]
    expect(minutesUntilChange(touching, at('mon', 9))).toBe(24 * 60)
    const always = weekdays.map((day): HoursWindow => ({ day, from: '00:00', to: '24:00' }))
    expect(minutesUntilChange(always, at('thu', 5))).toBeNull()
  })

  test('change exactly when they say, and not before', () => {
    fc.assert(
      fc.property(
        fc.array(anyWindow, { minLength: 1, maxLength: 4 }),
        fc.nat({ max: weekMinutes - 1 }),
        (windows, minute) => {
          const now = isWithinHours(windows, minute)
          const wait = minutesUntilChange(windows, minute)
          const last = wait ?? weekMinutes
          for (let later = 1; later < last; later += 7) {
            expect(isWithinHours(windows, minute + later)).toBe(now)
          }
          if (wait === null) return
          expect(isWithinHours(windows, minute + wait - 1)).toBe(now)
          expect(isWithinHours(windows, minute + wait)).toBe(!now)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('are refused when they are none', () => {
    for (const wrong of [
      { day: 'mon', from: '8:00', to: '09:00' },
      { day: 'mon', from: '24:00', to: '09:00' },
      { day: 'mon', from: '08:00', to: '24:01' },
      { day: 'mon', from: '08:00', to: '08:00' },
      { day: 'someday', from: '08:00', to: '09:00' },
    ]) {
      expect(settingsSchema.shape.scheduleWindows.safeParse([wrong]).success).toBe(false)
    }
  })
})
