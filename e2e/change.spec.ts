/** What can be changed about a task that is there: its link, its files, and the answer to a review; and the settings. */
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from './app.ts'
import { fixedBody, seededBody, sha256Of } from '../test/fault-server/fault-server.ts'
import { sampleTask, sampleStep } from '../test/contracts/sample-task.ts'
import { SqliteTaskStore } from '../src/adapters/store/sqlite-task-store.ts'
import type { Task } from '../src/shared/task/model.ts'

const length = 3_000_000

test('the edit dialog refuses what is no link, takes a fresh one, and keeps what arrived', async ({
  app,
  source,
}) => {
  const { page } = app
  await app.call('settings.set', { connectionsPerTask: 1 })
  const file = { length, seed: 4, etag: '"same"' }
  source.serve('/old.bin', { ...file, bytesPerSecond: 150_000 })
  source.serve('/fresh.bin', file)
  const [id = ''] = await app.add([source.url('/old.bin')])
  await source.until(() => source.bodyBytesSent('/old.bin') > 400_000)
  await app.call('tasks.pause', { ids: [id] })
  await expect(app.status('old.bin')).toContainText('Paused by you')

  await app.row('old.bin').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit' })
  const link = dialog.getByLabel('Link', { exact: true })
  await expect(link).toHaveValue(source.url('/old.bin'))
  await link.fill('ftp://host.example/old.bin')
  await dialog.getByLabel('Name').fill('renamed.bin')
  await dialog.getByRole('button', { name: 'Save and resume' }).click()
  await expect(dialog.getByRole('alert')).toContainText('cannot be downloaded')
  expect((await app.taskRow(id))?.state).toBe('PAUSED')

  await link.fill(source.url('/fresh.bin'))
  await expect(dialog.getByText('It is kept only if the new link leads to the same file')).toBeVisible()
  await dialog.getByRole('button', { name: 'Save and resume' }).click()
  await expect(dialog).toBeHidden()
  await expect(app.status('renamed.bin')).toContainText('Completed')
  const body = fixedBody(readFileSync(path.join(app.downloads, 'renamed.bin')))
  expect(sha256Of(body)).toBe(sha256Of(seededBody(length, 4)))
  expect(source.requests('/fresh.bin').some((request) => (request.range?.start ?? 0) > 300_000)).toBe(true)
})

/** A paused task of three plain files, as a resolver of a list of files leaves it. */
function threeFiles(folder: string, urlOf: (name: string) => string): Task {
  const names = ['one.bin', 'two.bin', 'three.bin']
  const resolved = { state: 'COMPLETED', fraction: 1, doneBytes: 0 } as const
  return sampleTask('album', {
    title: 'Album',
    parameters: {
      ...sampleTask('album').parameters,
      link: { kind: 'single', url: urlOf('album') },
      folder,
      connections: 1,
    },
    files: names.map((name, index) => ({ id: name, index, name, size: 200_000, selected: true })),
    steps: [
      sampleStep('album', resolved),
      ...names.map((name) =>
        sampleStep('album', {
          id: `step-${name}`,
          fileId: name,
          kind: 'download',
          stage: 1,
          size: 200_000,
          state: 'PAUSED',
          weight: 200_000,
          input: {
            kind: 'fetch',
            source: { url: urlOf(name), headers: [], facts: null },
            checksum: null,
          },
        }),
      ),
    ],
    pause: { kind: 'user', at: 1 },
    rank: null,
  })
}

test('files are chosen in the tree: an unticked one is not asked for, and arrives when it is ticked later', async ({
  app,
  source,
}) => {
  const files = { one: 1, two: 2, three: 3 }
  for (const [name, seed] of Object.entries(files)) {
    source.serve(`/${name}.bin`, { length: 200_000, seed, etag: `"${name}"` })
  }
  await app.quit()
  const store = await SqliteTaskStore.open({ dataFolder: app.dataFolder })
  const task = threeFiles(app.downloads, (name) => source.url(`/${name}`))
  await store.commit([
    { kind: 'put-task', task },
    { kind: 'put-job', job: task.job },
  ])
  await store.close()
  await app.start()

  const { page } = app
  await app.row('Album').click()
  await page.getByRole('button', { name: 'Show details' }).click()
  await page.getByRole('tab', { name: 'Files' }).click()
  const tree = page.getByRole('list', { name: 'Files' })
  await expect(tree.getByRole('checkbox')).toHaveCount(3)
  await tree.getByRole('checkbox', { name: 'two.bin' }).click()
  await expect(page.getByRole('heading', { name: '2 of 3 selected' })).toBeVisible()

  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await expect(app.status('Album')).toContainText('Completed')
  expect(source.requests('/two.bin')).toHaveLength(0)
  await tree.getByRole('checkbox', { name: 'two.bin' }).click()
  await source.until(() => source.requests('/two.bin').length > 0)
  await expect(app.status('Album')).toContainText('Completed')
  await expect
    .poll(async () => (await app.taskRow('album'))?.outputs.map((each) => path.basename(each)).sort())
    .toEqual(['one.bin', 'three.bin', 'two.bin'])

  // the last tick cannot be taken away
  await tree.getByRole('checkbox', { name: 'one.bin' }).click()
  await tree.getByRole('checkbox', { name: 'three.bin' }).click()
  await expect(page.getByRole('heading', { name: '1 of 3 selected' })).toBeVisible()
  await tree.getByRole('checkbox', { name: 'two.bin' }).click()
  await expect(page.getByText('At least one file stays ticked.', { exact: true }).first()).toBeVisible()
  await expect(tree.getByRole('checkbox', { name: 'two.bin' })).toBeChecked()
})

test('a file that has changed at the host waits for an answer: begun anew it is the new one, discarded nothing stays', async ({
  app,
  source,
}) => {
  const { page } = app
  await app.call('settings.set', { connectionsPerTask: 1 })
  const names = ['redone.bin', 'dropped.bin']
  const serve = (seed: number, bytesPerSecond: number): void => {
    for (const name of names) {
      source.serve(`/${name}`, { length, seed, etag: `"${seed}"`, bytesPerSecond })
    }
  }
  serve(1, 150_000)
  const ids = await app.add(names.map((name) => source.url(`/${name}`)))
  await source.until(() => names.every((name) => source.bodyBytesSent(`/${name}`) > 200_000))
  await app.call('tasks.pause', { ids })
  for (const id of ids) await app.untilState(id, 'PAUSED')
  serve(2, 50_000_000)
  await app.call('tasks.restart', { ids })
  const dialog = page.getByRole('dialog', { name: 'Review' })

  await expect(app.status('redone.bin')).toContainText('Needs review: the file has changed at the host')
  await page.getByRole('button', { name: 'Review…: redone.bin' }).click()
  await dialog.getByRole('radio', { name: 'Download it from the beginning' }).click()
  await dialog.getByRole('button', { name: 'Download again' }).click()
  await expect(app.status('redone.bin')).toContainText('Completed')
  const body = fixedBody(readFileSync(path.join(app.downloads, 'redone.bin')))
  expect(sha256Of(body)).toBe(sha256Of(seededBody(length, 2)))

  await page.getByRole('button', { name: 'Review…: dropped.bin' }).click()
  await dialog.getByRole('radio', { name: 'Cancel and discard it' }).click()
  await dialog.getByRole('button', { name: 'Discard it' }).click()
  await expect(app.status('dropped.bin')).toContainText('Cancelled')
  expect(readdirSync(app.downloads)).toEqual(['redone.bin'])
})

test('settings apply at once and stay: tasks at once, theme and language; one that differs can be set back', async ({
  app,
}) => {
  const { page } = app
  await page.keyboard.press('Control+,')
  await page.getByRole('button', { name: 'Downloads' }).click()
  await page.getByRole('button', { name: 'More: Tasks at once' }).click()
  await expect(page.getByRole('group', { name: 'Tasks at once' })).toContainText('4')
  await page.getByRole('button', { name: 'General' }).click()
  await page.getByLabel('Theme', { exact: true }).selectOption('Dark')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.getByLabel('Language', { exact: true }).selectOption('简体中文')
  await expect(page.getByRole('heading', { name: '通用' })).toBeVisible()
  expect(await app.call('settings.get', {})).toMatchObject({
    maxConcurrentTasks: 4,
    theme: 'dark',
    language: 'zh-CN',
  })

  await app.call('settings.set', { language: 'en' })
  await page.getByRole('button', { name: 'Downloads' }).click()
  await page.getByRole('button', { name: 'Back to 3: Tasks at once' }).click()
  await expect(page.getByRole('group', { name: 'Tasks at once' })).toContainText('3')
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await expect(page.getByRole('complementary').getByText('3 at once')).toBeVisible()
})

test('a range in a link says how many links it stands for, and becomes that many tasks', async ({
  app,
  source,
}) => {
  const { page } = app
  for (const name of ['part08.bin', 'part09.bin', 'part10.bin']) {
    source.serve(`/${name}`, { length: 1000, seed: 1, etag: '"a"' })
  }
  await page.keyboard.press('Control+n')
  const dialog = page.getByRole('dialog', { name: 'Add links' })
  const field = dialog.getByLabel('Links, one a line')
  await field.fill(source.url('/part[8-9:0].bin'))
  await expect(dialog.getByRole('alert')).toContainText('A range counts in steps of 1 or more')
  await field.fill(source.url('/part[08-10].bin'))
  await expect(dialog.getByText('The range stands for 3 links')).toBeVisible()
  await dialog.getByRole('button', { name: 'Download 3 links' }).click()
  for (const name of ['part08.bin', 'part09.bin', 'part10.bin']) {
    await expect(app.status(name)).toContainText('Completed')
  }
})
