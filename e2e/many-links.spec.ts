import { expect, test } from './app.ts'
import type { App } from './app.ts'

const count = 10_000

/** Begins to measure how long the page is busy without a break; answers the longest such time in ms when asked. */
async function watchBusyTimes(app: App): Promise<() => Promise<number>> {
  await app.page.evaluate(() => {
    let last = performance.now()
    Object.assign(window, { longestBusyMs: 0 })
    setInterval(() => {
      const now = performance.now()
      const measured = window as unknown as { longestBusyMs: number }
      measured.longestBusyMs = Math.max(measured.longestBusyMs, now - last)
      last = now
    }, 5)
  })
  return () =>
    app.page.evaluate(() => {
      const measured = window as unknown as { longestBusyMs: number }
      const longest = measured.longestBusyMs
      measured.longestBusyMs = 0
      return longest
    })
}

test('ten thousand links pasted at once are added in seconds; the window answers all the time, and what downloads does not notice', async ({
  app,
  source,
}, testInfo) => {
  const { page } = app
  await app.call('settings.set', { maxConcurrentTasks: 1, connectionsPerTask: 1 })
  source.serve('/steady.bin', { length: 60_000_000, seed: 1, etag: '"a"', bytesPerSecond: 300_000 })
  const [id = ''] = await app.add([source.url('/steady.bin')])
  await source.until(() => source.bodyBytesSent('/steady.bin') > 100_000)
  const links = Array.from({ length: count }, (_, index) => source.url(`/many/file-${index}.bin`)).join('\n')
  await page.evaluate((text) => navigator.clipboard.writeText(text), links)
  const longestBusy = await watchBusyTimes(app)
  const dialog = page.getByRole('dialog', { name: 'Add links' })
  const submit = dialog.getByRole('button', { name: 'Download 10,000 links' })

  // into the field …
  await page.keyboard.press('Control+n')
  await expect(dialog.getByLabel('Links, one a line')).toBeFocused()
  await page.keyboard.press('Control+v')
  await expect(submit).toBeEnabled()
  const inField = await longestBusy()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  // … and anywhere else in the window
  await page.keyboard.press('Control+v')
  await expect(submit).toBeEnabled()
  const inWindow = await longestBusy()

  const begun = Date.now()
  await submit.click()
  await expect(dialog.getByText(/^Adding [\d,]+ of 10,000$/)).toBeVisible()
  // 5 s on a quiet machine
  await expect(app.count('All')).toHaveText('10,001', { timeout: 60_000 })
  await expect(dialog).toBeHidden()
  const tookMs = Date.now() - begun
  const adding = await longestBusy()
  const figures = { pastedMs: inField, openedMs: inWindow, addingMs: adding, tookMs }
  testInfo.annotations.push({ type: 'figures', description: JSON.stringify(figures) })
  // 100 ms on a quiet machine; what this guards against are seconds
  expect(Math.max(inField, inWindow, adding)).toBeLessThan(1000)
  process.stdout.write(`10 000 links (${testInfo.project.name}): ${JSON.stringify(figures)}\n`)

  // the rest is there, and the one that ran was left alone
  await page.getByRole('grid', { name: 'Tasks' }).focus()
  await page.keyboard.press('End')
  await expect(app.row('steady.bin')).toBeVisible()
  await expect(app.status('steady.bin')).toContainText('Downloading')
  expect((await app.taskRow(id))?.state).toBe('RUNNING')
  expect(source.requests('/steady.bin')).toHaveLength(1)
})
