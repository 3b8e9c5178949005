import { describe, expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/default-settings.ts'
import { settingsSchema } from '../../../shared/settings.ts'
import { settingGroups, settingPages, storedNumber } from './settings-table.ts'

const entries = settingPages.flatMap((page) => settingGroups[page].flatMap((group) => group.entries))

describe('the settings page', () => {
  test('has every setting once', () => {
    const keys = entries.map((entry) => entry.key).sort()
    expect(keys).toEqual(Object.keys(settingsSchema.shape).sort())
  })

  test('offers only values that the host takes', () => {
    const settings = defaultSettings('/downloads')
    for (const entry of entries) {
      const values: (string | number)[] =
        entry.kind === 'choice'
          ? entry.options.map((option) => option.value)
          : entry.kind === 'stepper'
            ? [entry.min, entry.max]
            : entry.kind === 'number'
              ? [entry.min * entry.scale, entry.max * entry.scale]
              : []
      for (const value of values) {
        expect(
          settingsSchema.safeParse({ ...settings, [entry.key]: value }).success,
          `${entry.key}: ${value}`,
        ).toBe(true)
      }
    }
  })

  test('offers every value that the host has a name for', () => {
    for (const entry of entries) {
      if (entry.kind !== 'choice') continue
      const schema = settingsSchema.shape[entry.key]
      const known = 'options' in schema ? [...schema.options].sort() : []
      expect(entry.options.map((option) => option.value).sort()).toEqual(known)
    }
  })

  test('takes typed numbers within their range and units, and nothing else', () => {
    const range = { min: 0, max: 100, scale: 1_048_576 }
    expect(storedNumber('512', { ...range, max: 1000 })).toBe(536_870_912)
    expect(storedNumber('1,5', { ...range, scale: 1_000_000 })).toBe(1_500_000)
    expect([storedNumber('-3', range), storedNumber('1e9', { ...range, scale: 1 })]).toEqual([0, 100])
    expect([storedNumber('', range), storedNumber('many', range)]).toEqual([null, null])
  })
})
