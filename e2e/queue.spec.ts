import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from './app.ts'
import type { FaultServer } from '../test/fault-server/fault-server.ts'
import { fixedBody, seededBody, sha256Of } from '../test/fault-server/fault-server.ts'

const length = 6_000_000
/** Slow enough that nothing ends by itself while a person looks. */
const slow = 150_000

/** Three downloads that can be resumed; one connection each, so that the rate is the download's. */
function serveSlow(source: FaultServer, bytesPerSecond = slow): string[] {
  return ['first.bin', 'second.bin', 'third.bin'].map((name, index) => {
    source.serve(`/${name}`, { length, seed: index + 1, etag: `"${name}"`, bytesPerSecond })
    return source.url(`/${name}`)
  })
}

test('three downloads at two at once: two run and one waits; lowered, the younger goes back to the head; raised, it runs again @smoke', async ({
  app,
  source,
}) => {
  await app.call('settings.set', { maxConcurrentTasks: 2, connectionsPerTask: 1 })
  const fewer = app.page.getByRole('button', { name: 'Fewer at once' })
  const more = app.page.getByRole('button', { name: 'More at once' })
  const links = serveSlow(source)

  await app.page.getByRole('button', { name: 'Add', exact: true }).click()
  const dialog = app.page.getByRole('dialog', { name: 'Add links' })
  await dialog.getByLabel('Links, one a line').fill(links.join('\n'))
  await dialog.getByRole('button', { name: 'Download 3 links' }).click()
  await expect(dialog).toBeHidden()

  await expect(app.status('first.bin')).toContainText('Downloading')
  await expect(app.status('second.bin')).toContainText('Downloading')
  await expect(app.status('third.bin')).toContainText('Waiting, first in line')
  await expect(app.count('Downloading')).toHaveText('2')
  await expect(app.count('Waiting')).toHaveText('1')

  await fewer.click()
  // the second was started last: it is the one that makes room, ahead of the third
  await expect(app.status('second.bin')).toContainText('Waiting, first in line')
  await expect(app.status('third.bin')).toContainText('Waiting, second in line')
  await expect(app.status('first.bin')).toContainText('Downloading')
  await expect(fewer).toHaveAttribute('aria-disabled', 'true')

  await more.click()
  await expect(app.status('second.bin')).toContainText('Downloading')
  await expect(app.status('third.bin')).toContainText('Waiting, first in line')
  await more.click()
  await expect(app.status('third.bin')).toContainText('Downloading')
  await expect(app.count('Downloading')).toHaveText('3')
})

test('pause stops the traffic, resume goes on from there, and the file is whole @smoke', async ({
  app,
  source,
}) => {
  await app.call('settings.set', { connectionsPerTask: 1 })
  const [link = ''] = serveSlow(source)
  const [id = ''] = await app.add([link])
  await source.until(() => source.bodyBytesSent('/first.bin') > 400_000)

  await app.row('first.bin').click()
  await app.page.getByRole('button', { name: 'Pause', exact: true }).click()
  await expect(app.status('first.bin')).toContainText('Paused by you')
  await source.until(() => source.openConnections === 0)
  const requests = source.requests('/first.bin').length

  serveSlow(source, 50_000_000)
  await app.page.getByRole('button', { name: 'Resume', exact: true }).click()
  await expect(app.status('first.bin')).toContainText('Completed')
  await app.untilState(id, 'COMPLETED')
  const later = source.requests('/first.bin').slice(requests)
  expect(later.every((request) => (request.range?.start ?? 0) > 0)).toBe(true)
  expect(sha256Of(fixedBody(readFileSync(path.join(app.downloads, 'first.bin'))))).toBe(
    sha256Of(seededBody(length, 1)),
  )
})

test('cancel discards what arrived and leaves the task in the list; remove takes it out; undo brings it back', async ({
  app,
  source,
}) => {
  await app.call('settings.set', { connectionsPerTask: 1 })
  const [link = '', other = ''] = serveSlow(source)
  await app.add([link, other])
  await source.until(() => source.bodyBytesSent('/first.bin') > 200_000)

  await app.row('first.bin').click({ button: 'right' })
  await app.page.getByRole('menuitem', { name: 'Cancel and discard' }).click()
  await expect(app.status('first.bin')).toContainText('Cancelled')

  await app.row('second.bin').click()
  await app.page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(app.row('second.bin')).toBeHidden()
  await app.page.getByRole('button', { name: 'Undo' }).click()
  // it was running: it comes back paused, so that nothing begins behind the user's back
  await expect(app.status('second.bin')).toContainText('Paused by you')

  await app.row('first.bin').click()
  await app.page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(app.row('first.bin')).toBeHidden()
  await expect(app.count('All')).toHaveText('1')
})

test('a host that is killed in mid-download is right after its next start, and everything completes @smoke', async ({
  app,
  source,
}) => {
  await app.call('settings.set', { maxConcurrentTasks: 2, connectionsPerTask: 1 })
  const ids = await app.add(serveSlow(source))
  await source.until(() => source.bodyBytesSent('/second.bin') > 400_000)
  await expect(app.status('third.bin')).toContainText('Waiting')

  await app.kill()
  await source.until(() => source.openConnections === 0)
  serveSlow(source, 50_000_000)
  await app.start()
  for (const title of ['first.bin', 'second.bin', 'third.bin']) {
    await expect(app.status(title)).toContainText('Completed')
  }
  await expect(app.count('Completed')).toHaveText('3')
  for (const [index, id] of ids.entries()) {
    const row = await app.taskRow(id)
    expect(row?.outputs).toHaveLength(1)
    expect(sha256Of(fixedBody(readFileSync(row?.outputs[0] ?? '')))).toBe(
      sha256Of(seededBody(length, index + 1)),
    )
  }
})
