/** The hours of the week in the settings: typed as a person types them, kept, and no nonsense taken. */
import type { Locator } from '@playwright/test'
import { expect, test } from './app.ts'
import type { App } from './app.ts'

async function openHours(app: App): Promise<Locator> {
  await app.page.keyboard.press('Control+,')
  await app.page.getByRole('button', { name: 'Downloads' }).click()
  return app.page.getByRole('group', { name: 'Hours of full speed' })
}

const windows = async (app: App) => (await app.call('settings.get', {})).scheduleWindows

/** Puts the keyboard on the hours of a field for times; it comes to its minutes and its half of the day by itself. */
async function enter(field: Locator): Promise<void> {
  // one that has the keyboard already may have it on its minutes
  await field.blur()
  await field.focus()
}

/** Types a time, as it is written in the language of the window, and presses Enter. */
async function type(field: Locator, keys: string): Promise<void> {
  await enter(field)
  await field.pressSequentially(keys)
  await field.press('Enter')
}

test('hours are set for days of the week by keyboard and mouse, and are there after a reload', async ({
  app,
}) => {
  const { page } = app
  const hours = await openHours(app)
  const remove = hours.getByRole('button', { name: 'Remove these hours' })
  for (let left = await remove.count(); left > 0; left--) {
    await expect(remove).toHaveCount(left)
    await remove.first().click()
  }
  await expect.poll(() => windows(app)).toEqual([])
  const wanted = [
    { day: 'mon', name: 'Monday', from: '09:00', to: '17:30', types: ['0900AM', '0530PM'] },
    { day: 'wed', name: 'Wednesday', from: '22:15', to: '06:05', types: ['1015PM', '0605AM'] },
    { day: 'sun', name: 'Sunday', from: '00:00', to: '24:00', types: [] },
  ]
  for (const [place, { day, name, types }] of wanted.entries()) {
    await hours.getByRole('button', { name: 'Add hours' }).click()
    await hours.getByLabel('Day').nth(place).selectOption(name)
    await expect.poll(async () => (await windows(app))[place]?.day).toBe(day)
    const [from, to] = types
    if (from !== undefined) await type(hours.getByLabel('From').nth(place), from)
    if (to !== undefined) await type(hours.getByLabel('To').nth(place), to)
  }
  const stored = wanted.map(({ day, from, to }) => ({ day, from, to }))
  await expect.poll(() => windows(app)).toEqual(stored)
  await page.getByLabel('Outside the hours below', { exact: true }).selectOption('They pause')
  await expect.poll(async () => (await app.call('settings.get', {})).scheduleMode).toBe('pause')

  await page.reload()
  await app.untilShown()
  const again = await openHours(app)
  await expect(again.getByLabel('Day')).toHaveCount(3)
  for (const [place, { day, from, to }] of wanted.entries()) {
    await expect(again.getByLabel('Day').nth(place)).toHaveValue(day)
    await expect(again.getByLabel('From').nth(place)).toHaveValue(from)
    // midnight, the end of the day
    await expect(again.getByLabel('To').nth(place)).toHaveValue(to === '24:00' ? '00:00' : to)
  }

  await again.getByRole('button', { name: 'Remove these hours' }).nth(1).click()
  await expect.poll(() => windows(app)).toEqual([stored[0], stored[2]])
  await expect(again.getByLabel('Day')).toHaveCount(2)
})

test('hours without a length and half a time are not taken: the field shows again what holds', async ({
  app,
}) => {
  const held = [{ day: 'tue' as const, from: '08:00', to: '12:00' }]
  await app.call('settings.set', { scheduleWindows: held })
  const hours = await openHours(app)
  const [from, to] = [hours.getByLabel('From'), hours.getByLabel('To')]
  await type(to, '0800AM')
  await expect(to).toHaveValue('12:00')
  await type(from, '1200PM')
  await expect(from).toHaveValue('08:00')
  await enter(from)
  await from.press('Backspace')
  await expect(from).toHaveValue('')
  await from.press('Enter')
  await expect(from).toHaveValue('08:00')
  await enter(to)
  await to.pressSequentially('0215PM')
  await expect(to).toHaveValue('14:15')
  await to.press('Escape')
  await expect(to).toHaveValue('12:00')
  // what comes after has come: none of the others was taken before
  await type(to, '0130PM')
  await expect.poll(() => windows(app)).toEqual([{ day: 'tue', from: '08:00', to: '13:30' }])
})
