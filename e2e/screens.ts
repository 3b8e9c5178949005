/**
 * Every screen of the window, opened one after the other as a person would: what is looked at for accessibility, for
 * clipped text and in screenshots is the same list. Names come from the catalogue of the language that is shown.
 */
import { expect } from '@playwright/test'
import type { FaultServer } from '../test/fault-server/fault-server.ts'
import { en } from '../src/renderer/i18n/en.ts'
import { zhCn } from '../src/renderer/i18n/zh-cn.ts'
import type { App } from './app.ts'
import { showcase, writeShowcase } from './showcase.ts'

export type ScreenLanguage = 'en' | 'zh-CN'

/** A list with every state in it: what rests or has ended is written into the database, the rest runs. */
async function fillList(app: App, source: FaultServer): Promise<void> {
  await app.call('settings.set', { maxConcurrentTasks: 2, connectionsPerTask: 4 })
  await app.quit()
  await writeShowcase(app.dataFolder, app.downloads)
  await app.start()
  const unwanted = source.url('/openriver-14.1-server-arm64.iso')
  await app.call('tasks.cancel', { ids: await app.add([unwanted], { startPaused: true }) })
  const running = ['North gate, camera 2.mov', 'openriver-14.2-desktop-amd64.iso']
  const names = [...running, 'River Radio, 2014.mp3']
  for (const [index, name] of names.entries()) {
    const pathname = `/${encodeURIComponent(name)}`
    source.serve(pathname, { length: 60_000_000, seed: index, etag: `"${index}"`, bytesPerSecond: 900_000 })
  }
  const ids = await app.add(names.map((name) => source.url(`/${encodeURIComponent(name)}`)))
  for (const id of ids.slice(0, running.length)) {
    await expect
      .poll(async () => (await app.taskRow(id))?.progress ?? 0, { timeout: 60_000 })
      .toBeGreaterThan(4)
  }
}

/** Opens each screen in turn and calls `visit` with its name while it is shown. */
export async function visitScreens(
  app: App,
  source: FaultServer,
  language: ScreenLanguage,
  visit: (screen: string) => Promise<void>,
): Promise<void> {
  const words = language === 'en' ? en : zhCn
  await app.call('settings.set', { language })
  await expect(app.page.getByText(words['empty.firstText'])).toBeVisible()
  await visit('empty')

  await fillList(app, source)
  await expect(app.status(showcase.failed)).toContainText('404')
  await visit('list')
  const { page } = app
  const dialog = page.getByRole('dialog')
  const closeLayer = async () => {
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  }

  await page.keyboard.press('Control+n')
  await expect(dialog).toBeVisible()
  await dialog
    .getByLabel(words['add.links'])
    .fill('https://mirror.openriver.example/14.2/openriver-14.2-desktop-amd64.iso\nnot a link')
  await dialog.getByRole('button', { name: words['add.advanced'] }).click()
  await visit('add')
  await closeLayer()

  await visitDetails(app, words, visit)
  await visitDialogs(app, words, visit)

  await page.keyboard.press('Control+k')
  await expect(dialog).toBeVisible()
  await visit('palette')
  await closeLayer()

  await app.call('settings.set', { density: 'compact' })
  await expect(page.locator('html')).toHaveAttribute('data-density', 'compact')
  await visit('list-compact')
  await app.call('settings.set', { density: 'comfortable' })

  await visitSettings(app, words, visit)
}

type Words = typeof en | typeof zhCn
type Visit = (screen: string) => Promise<void>

async function visitDetails(app: App, words: Words, visit: Visit): Promise<void> {
  const { page } = app
  await app.row(showcase.failed).click()
  await page.getByRole('button', { name: words['command.showDetails'] }).click()
  const tabs = [
    ['overview', showcase.failed, 'error'],
    ['files', showcase.list, 'details-files'],
    ['steps', showcase.paused, 'details-steps'],
    ['connections', 'North gate, camera 2.mov', 'details-connections'],
  ] as const
  for (const [tab, title, screen] of tabs) {
    await app.row(title).click()
    await page.getByRole('tab', { name: words[`details.${tab}`] }).click()
    await expect(page.getByRole('tabpanel')).not.toBeEmpty()
    await visit(screen)
  }
  await page.getByRole('button', { name: words['details.close'] }).click()
}

async function visitDialogs(app: App, words: Words, visit: Visit): Promise<void> {
  const { page } = app
  const dialog = page.getByRole('dialog')
  const openBy = async (label: 'next.editLink' | 'next.review' | 'next.freeSpace', title: string) => {
    const name = words['row.actionOf'].replace('{{action}}', words[label]).replace('{{title}}', title)
    await page.getByRole('button', { name }).click()
    await expect(dialog).toBeVisible()
  }
  const closeLayer = async () => {
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  }
  await openBy('next.editLink', showcase.expired)
  await visit('edit-link')
  await closeLayer()
  await openBy('next.review', showcase.review)
  await visit('review')
  await closeLayer()
  await openBy('next.freeSpace', showcase.storage)
  await visit('storage')
  await closeLayer()

  await app.row(showcase.completed).click({ button: 'right' })
  await expect(page.getByRole('menu')).toBeVisible()
  await visit('menu')
  await page.getByRole('menuitem', { name: words['command.edit'] }).click()
  await expect(dialog).toBeVisible()
  await visit('edit')
  await closeLayer()
  await page.keyboard.press('Shift+Delete')
  await expect(page.getByRole('alertdialog').or(dialog)).toBeVisible()
  await visit('delete-files')
  await page.keyboard.press('Escape')
}

async function visitSettings(app: App, words: Words, visit: Visit): Promise<void> {
  const { page } = app
  await page.getByRole('button', { name: words['command.settings'], exact: true }).click()
  await expect(page.getByRole('button', { name: words['settings.back'] })).toBeVisible()
  for (const name of ['general', 'downloads', 'media', 'advanced'] as const) {
    await page.getByRole('button', { name: words[`settings.${name}`], exact: true }).click()
    await visit(name === 'downloads' ? 'settings' : `settings-${name}`)
  }
  await page.getByRole('button', { name: words['settings.back'] }).click()
}
