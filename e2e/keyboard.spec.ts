import type { Locator, Page } from '@playwright/test'
import { expect, test } from './app.ts'

/** Presses Tab until the element has the focus: what cannot be reached so cannot be used without a mouse. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('forty presses of Tab did not reach it')
}

/** Presses an arrow until the menu item is the active one. */
async function arrowTo(page: Page, item: Locator): Promise<void> {
  for (let presses = 0; presses < 25; presses++) {
    if (await item.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('ArrowDown')
  }
  throw new Error('no arrow reached the menu item')
}

test('the keyboard alone adds, pauses, resumes, lowers the limit, cancels, removes and takes it back @smoke', async ({
  app,
  source,
}) => {
  const { page } = app
  await app.call('settings.set', { maxConcurrentTasks: 2, connectionsPerTask: 1 })
  const names = ['first.bin', 'second.bin', 'third.bin']
  for (const [index, name] of names.entries()) {
    source.serve(`/${name}`, { length: 6_000_000, seed: index, etag: `"${name}"`, bytesPerSecond: 100_000 })
  }

  await page.keyboard.press('Control+n')
  await expect(page.getByLabel('Links, one a line')).toBeFocused()
  await page.keyboard.insertText(names.map((name) => source.url(`/${name}`)).join('\n'))
  // Enter begins the next line while there are several
  await page.keyboard.press('Control+Enter')
  await expect(app.status('second.bin')).toContainText('Downloading')
  await expect(app.status('third.bin')).toContainText('Waiting, first in line')

  await tabTo(page, page.getByRole('button', { name: 'Fewer at once' }))
  await page.keyboard.press('Enter')
  await expect(app.status('second.bin')).toContainText('Waiting, first in line')
  await tabTo(page, page.getByRole('button', { name: 'More at once' }))
  await page.keyboard.press('Space')
  await expect(app.status('second.bin')).toContainText('Downloading')

  await tabTo(page, page.getByRole('grid', { name: 'Tasks' }))
  // newest first: the last row is the first task
  await page.keyboard.press('End')
  await expect(app.row('first.bin')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Space')
  await expect(app.status('first.bin')).toContainText('Paused by you')
  await page.keyboard.press('Space')
  await expect(app.status('first.bin')).toContainText('Waiting')

  await page.keyboard.press('Shift+F10')
  await arrowTo(page, page.getByRole('menuitem', { name: 'Cancel and discard' }))
  await page.keyboard.press('Enter')
  await expect(app.status('first.bin')).toContainText('Cancelled')

  await page.keyboard.press('Delete')
  await expect(app.row('first.bin')).toBeHidden()
  await page.keyboard.press('Control+z')
  await expect(app.status('first.bin')).toContainText('Cancelled')

  await page.keyboard.press('Control+,')
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Back to the list' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('grid', { name: 'Tasks' })).toBeVisible()
})
