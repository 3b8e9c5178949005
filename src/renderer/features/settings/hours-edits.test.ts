import { expect, test } from 'vitest'
import { settingsSchema } from '../../../shared/settings.ts'
import { mostWindows, withEnd, withFrom } from './hours-edits.ts'

const window = { day: 'mon' as const, from: '22:00', to: '06:00' }

test('midnight as an end is the end of the day', () => {
  expect(withEnd(window, '00:00')?.to).toBe('24:00')
  expect(withEnd({ ...window, from: '00:00' }, '00:00')?.to).toBe('24:00')
})

test('an empty field and a window without length change nothing', () => {
  expect([withFrom(window, ''), withEnd(window, ''), withFrom(window, '06:00')]).toEqual([null, null, null])
})

test('as many windows as the host takes', () => {
  const { scheduleWindows } = settingsSchema.shape
  const many = (count: number) => Array.from({ length: count }, () => window)
  expect(scheduleWindows.safeParse(many(mostWindows)).success).toBe(true)
  expect(scheduleWindows.safeParse(many(mostWindows + 1)).success).toBe(false)
})
