import { expect, test } from './app.ts'

test('a window that reloads in mid-download finds the list again; the download does not notice @smoke', async ({
  app,
  source,
}) => {
  await app.call('settings.set', { connectionsPerTask: 1 })
  source.serve('/steady.bin', { length: 6_000_000, seed: 1, etag: '"a"', bytesPerSecond: 300_000 })
  const [id = ''] = await app.add([source.url('/steady.bin')])
  await source.until(() => source.bodyBytesSent('/steady.bin') > 300_000)
  const requests = source.requests('/steady.bin').length

  await app.page.reload()
  await expect(app.status('steady.bin')).toContainText('Downloading')
  await app.untilState(id, 'COMPLETED')
  await expect(app.status('steady.bin')).toContainText('Completed')
  expect(source.requests('/steady.bin')).toHaveLength(requests)
})

test('ten thousand links pasted at once are ten thousand tasks, and the window goes on answering', async ({
  app,
}) => {
  test.slow()
  const { page } = app
  const count = 10_000
  // closed: nothing is fetched, what counts is the list
  const links = Array.from({ length: count }, (_, index) => `http://127.0.0.1:9/file-${index}.bin`)
  await page.keyboard.press('Control+n')
  const dialog = page.getByRole('dialog', { name: 'Add links' })
  await dialog.getByLabel('Links, one a line').fill(links.join('\n'))
  await dialog.getByText('Later, by hand').click()
  await dialog.getByRole('button', { name: /10,000/ }).click()
  await expect(dialog).toBeHidden({ timeout: 60_000 })
  await expect(app.count('All')).toHaveText('10,000')
  await expect(app.count('Paused')).toHaveText('10,000')

  await page.getByRole('grid', { name: 'Tasks' }).focus()
  await page.keyboard.press('End')
  await expect(app.row('file-0.bin')).toBeVisible()
  await page.getByRole('searchbox').fill('file-9999')
  await expect(app.row('file-9999.bin')).toBeVisible()
})
