/**
 * Every screen of the window, opened one after the other as a person would: what is looked at for accessibility, for
 * clipped text and in screenshots is the same list. Names come from the catalogue of the language that is shown.
 */
import { expect } from '@playwright/test'
import type { FaultServer } from '../test/fault-server/fault-server.ts'
import { en } from '../src/renderer/i18n/en.ts'
import { zhCn } from '../src/renderer/i18n/zh-cn.ts'
import type { App } from './app.ts'

export type ScreenLanguage = 'en' | 'zh-CN'

/** Tasks in every state that needs no waiting: running, waiting, paused, completed, failed. */
export async function fillList(app: App, source: FaultServer): Promise<void> {
  await app.call('settings.set', { maxConcurrentTasks: 2, connectionsPerTask: 1 })
  source.serve('/finished-lecture.mp3', { length: 300_000, seed: 1, etag: '"a"' })
  const [done = '', missing = ''] = await app.add([
    source.url('/finished-lecture.mp3'),
    source.url('/missing-notes.pdf'),
  ])
  await app.untilState(done, 'COMPLETED')
  await app.untilState(missing, 'FAILED')
  const slow = ['camera-one.mov', 'camera-two.mov', 'camera-three.mov', 'camera-four.mov']
  for (const [index, name] of slow.entries()) {
    source.serve(`/${name}`, { length: 60_000_000, seed: index, etag: `"${name}"`, bytesPerSecond: 120_000 })
  }
  const ids = await app.add(slow.map((name) => source.url(`/${name}`)))
  const [one = '', two = '', three = ''] = ids
  await app.untilState(one, 'RUNNING')
  await app.untilState(two, 'RUNNING')
  await app.call('tasks.pause', { ids: [three] })
}

/** Opens each screen in turn and calls `visit` with its name while it is shown. */
export async function visitScreens(
  app: App,
  source: FaultServer,
  language: ScreenLanguage,
  visit: (screen: string) => Promise<void>,
): Promise<void> {
  const words = language === 'en' ? en : zhCn
  const { page } = app
  const dialog = page.getByRole('dialog')
  const closeLayer = async () => {
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  }
  await app.call('settings.set', { language })
  await expect(page.getByText(words['empty.firstText'])).toBeVisible()
  await visit('empty')

  await fillList(app, source)
  await expect(app.status('missing-notes.pdf')).toContainText('404')
  await visit('list')

  await page.keyboard.press('Control+n')
  await expect(dialog).toBeVisible()
  await dialog.getByLabel(words['add.links']).fill('https://example.org/a.iso\nnot a link')
  await visit('add')
  await closeLayer()

  await app.row('missing-notes.pdf').click()
  await page.getByRole('button', { name: words['command.showDetails'] }).click()
  for (const tab of ['overview', 'files', 'steps', 'connections'] as const) {
    await page.getByRole('tab', { name: words[`details.${tab}`] }).click()
    await visit(tab === 'overview' ? 'error' : `details-${tab}`)
  }
  await page.getByRole('button', { name: words['details.close'] }).click()

  await app.row('missing-notes.pdf').click({ button: 'right' })
  await expect(page.getByRole('menu')).toBeVisible()
  await visit('menu')
  await page.getByRole('menuitem', { name: words['command.edit'] }).click()
  await expect(dialog).toBeVisible()
  await visit('edit')
  await closeLayer()

  await page.keyboard.press('Control+k')
  await expect(dialog).toBeVisible()
  await visit('palette')
  await closeLayer()

  await page.getByRole('button', { name: words['command.settings'], exact: true }).click()
  await expect(page.getByRole('button', { name: words['settings.back'] })).toBeVisible()
  await visit('settings')
  await page.getByRole('button', { name: words['settings.back'] }).click()
}
