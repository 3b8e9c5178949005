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
