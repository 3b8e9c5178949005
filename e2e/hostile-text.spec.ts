/** Text of others in every place that shows text: it stays text. What the window's policy refuses fails a spec as well. */
import { expect, test } from './app.ts'
import type { App } from './app.ts'

const deeds = ['window.ran=1', 'alert(1)']
const shapes: ((deed: string) => string)[] = [
  (deed) => `<script>${deed}</script>`,
  (deed) => `<img src=x onerror=${deed}>`,
  (deed) => `<svg onload=${deed}>`,
  (deed) => `<svg><script>${deed}</script></svg>`,
  (deed) => `<iframe srcdoc="<script>parent.${deed}</script>"></iframe>`,
  (deed) => `<body onload=${deed}>`,
  (deed) => `<details open ontoggle=${deed}>x</details>`,
  (deed) => `<a href="javascript:${deed}">x</a>`,
  (deed) => `<form action="javascript:${deed}"><button>x</button></form>`,
  (deed) => `<object data="javascript:${deed}"></object>`,
  (deed) => `<style>@import 'javascript:${deed}'</style>`,
  (deed) => `<math><mtext><img src=x onerror=${deed}></mtext></math>`,
  (deed) => `<template><img src=x onerror=${deed}></template>`,
  (deed) => `"><img src=x onerror=${deed}>`,
  (deed) => `' onmouseover='${deed}' x='`,
  (deed) => `" autofocus onfocus="${deed}" x="`,
  (deed) => `</textarea><img src=x onerror=${deed}>`,
  (deed) => `</title><script>${deed}</script>`,
  (deed) => `--><script>${deed}</script><!--`,
  (deed) => `]]><script>${deed}</script>`,
  (deed) => `{{${deed}}}`,
  (deed) => `\${${deed}}`,
  (deed) => `{{constructor.constructor('${deed}')()}}`,
  (deed) => `$t(app.name)<img src=x onerror=${deed}>`,
  (deed) => `\u2068<b onclick=${deed}>\u2069`,
]
const hostile = shapes.flatMap((shape) => deeds.map(shape))

/** Elements that no screen of ours has, and whether any of it ran. */
function traces(app: App): Promise<string[]> {
  return app.page.evaluate(() => {
    const strange =
      'img, iframe, object, embed, math, template, body script, a[href^="javascript"], [onerror], [onload]'
    const found = [...document.body.querySelectorAll(strange)].map((element) => element.outerHTML)
    return 'ran' in window ? [...found, 'it ran'] : found
  })
}

test('fifty texts that want to be run stay text: as titles, in details, searches, fields, refusals and settings', async ({
  app,
}) => {
  const { page } = app
  let dialogs = 0
  page.on('dialog', (dialog) => {
    dialogs++
    void dialog.dismiss()
  })
  expect(hostile.length).toBeGreaterThanOrEqual(50)
  const links = hostile.map((text, index) => `http://127.0.0.1:9/${index}/${encodeURIComponent(text)}`)
  await app.add(links, { startPaused: true })
  await expect(app.count('All')).toHaveText(String(links.length))
  await page.getByRole('grid', { name: 'Tasks' }).focus()
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'Show details' }).click()
  await expect(page.getByRole('tab', { name: 'Overview' })).toBeVisible()
  expect(await traces(app)).toEqual([])

  const search = page.getByRole('textbox', { name: 'Search' })
  for (const text of hostile.slice(0, 10)) await search.fill(`${text} nowhere`)
  await expect(page.getByRole('heading', { name: 'Nothing found for' })).toBeVisible()
  expect(await traces(app)).toEqual([])
  await search.fill('')

  await page.keyboard.press('Control+n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Links, one a line').fill(hostile.join('\n'))
  await dialog.getByRole('button', { name: 'Advanced' }).click()
  await dialog.getByLabel('Headers').fill(`X-Text: ${hostile.join(' ')}`)
  await dialog.getByRole('button', { name: /^Download \d+ links$/ }).click()
  await expect(dialog.getByText('links were not added')).toBeVisible()
  expect(await traces(app)).toEqual([])
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+,')
  await page.getByLabel('Search in all settings').fill(hostile[0] ?? '')
  await expect(page.getByText('No setting is called that.')).toBeVisible()
  expect(await traces(app)).toEqual([])
  expect(dialogs).toBe(0)
})

test('C133 what a host sends stays text as well: names, reasons, types and where it leads', async ({
  app,
  source,
}) => {
  const { page } = app
  const run = '<img src=x onerror=window.ran=1>'
  source.serve('/named', { length: 1000, contentDisposition: `attachment; filename="${run}.txt"` })
  source.serve('/typed', { length: 1000, contentType: `text/${run}`, etag: `"${run}"` })
  source.redirect('/script', 'javascript:window.ran=1')
  source.redirect('/settings', 'ms-settings:privacy')
  source.raw('/reason', (_, socket) => {
    socket.write(`HTTP/1.1 404 ${run}\r\nX-Reason: ${run}\r\nContent-Type: text/html\r\n\r\n${run}`)
    return undefined
  })
  source.raw('/refused', (_, socket) => {
    socket.write(`HTTP/1.1 403 ${run}\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n${run}`)
    return undefined
  })
  const paths = ['/named', '/typed', '/script', '/settings', '/reason', '/refused']
  const ids = await app.add(paths.map((path) => source.url(path)))
  // characters that no system has in names are replaced; the rest is shown to the letter
  await expect(app.status('_img src=x onerror=window.ran=1_.txt')).toContainText('Completed')
  await expect(app.status('typed')).toContainText('Completed')
  for (const id of ids.slice(2)) await app.untilState(id, 'FAILED')

  await page.getByRole('grid', { name: 'Tasks' }).focus()
  await page.keyboard.press('Home')
  await page.getByRole('button', { name: 'Show details' }).click()
  for (let row = 0; row < paths.length; row++) {
    for (const tab of ['Files', 'Steps', 'Connections', 'Overview']) {
      await page.getByRole('tab', { name: tab }).click()
      expect(await traces(app)).toEqual([])
    }
    await page.getByRole('grid', { name: 'Tasks' }).focus()
    await page.keyboard.press('ArrowDown')
  }

  // links to programs and settings of the machine are no tasks
  await page.keyboard.press('Control+n')
  const dialog = page.getByRole('dialog')
  const links = ['javascript:window.ran=1', 'ms-settings:privacy', 'file:///etc/passwd', 'data:text/html,x']
  await dialog.getByLabel('Links, one a line').fill(links.join('\n'))
  await dialog.getByRole('button', { name: /^Download \d+ links$/ }).click()
  await expect(dialog.getByText('links were not added')).toBeVisible()
  expect(await traces(app)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(app.count('All')).toHaveText(String(paths.length))
})
