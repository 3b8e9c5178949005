/** What only the server's window has: a secret to give, a host that goes and comes back, pages of others beside it. */
import type { App } from './app.ts'
import { expect, test } from './app.ts'
import { ServerDriver } from './server-driver.ts'

function driverOf(app: App): ServerDriver {
  if (!(app.driver instanceof ServerDriver)) throw new Error('these specifications are about the server')
  return app.driver
}

test('a wrong secret shows nothing of the list and says so; the right one opens the window and stays with the tab', async ({
  app,
}) => {
  const { page } = app
  const driver = driverOf(app)
  await app.add(['http://127.0.0.1:9/mine.bin'], { startPaused: true })

  await page.goto('about:blank')
  await page.goto(driver.link.replace(/#.*/, '#secret=wrong'))
  const field = page.getByLabel('Secret')
  await expect(field).toBeFocused()
  await expect(page.getByRole('alert')).toContainText('is not the secret of the server')
  await expect(app.row('mine.bin')).toBeHidden()

  await field.fill(driver.secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(app.row('mine.bin')).toBeVisible()
  expect(page.url()).toBe(driver.link.replace(/#.*/, ''))
  await page.reload()
  await expect(app.row('mine.bin')).toBeVisible()
})

test('without a secret the window asks for it', async ({ app }) => {
  const { page } = app
  const fresh = await page.context().newPage()
  await fresh.goto(driverOf(app).link.replace(/#.*/, ''))
  await expect(fresh.getByRole('heading', { name: 'Sign in to Sluice' })).toBeVisible()
})

test('a host that goes is missed at once; back again, the window finds it by itself and shows what is', async ({
  app,
}) => {
  const driver = driverOf(app)
  await app.add(['http://127.0.0.1:9/one.bin'], { startPaused: true })
  await expect(app.row('one.bin')).toBeVisible()

  await driver.killHost()
  await expect(app.page.getByRole('alert')).toContainText('The connection to the app is lost')
  await driver.startHost()
  await expect(app.page.getByText('The connection to the app is lost')).toBeHidden()
  await app.add(['http://127.0.0.1:9/two.bin'], { startPaused: true })
  await expect(app.row('two.bin')).toBeVisible()
  await expect(app.row('one.bin')).toBeVisible()
})

test('a page of another origin in the same browser reaches nothing, even with the secret', async ({
  app,
  source,
}) => {
  source.serve('/evil.html', { body: '<title>evil</title>', contentType: 'text/html' })
  const { secret, port } = driverOf(app)
  const evil = await app.page.context().newPage()
  await evil.goto(source.url('/evil.html'))
  const got = await evil.evaluate(
    async ([host = '', given = '']) => {
      const attempt = async (act: () => Promise<unknown>): Promise<string> => {
        try {
          return JSON.stringify(await act())
        } catch {
          return 'nothing'
        }
      }
      const change = { method: 'POST', body: '{"maxConcurrentTasks":9}' }
      const json = { 'Content-Type': 'application/json', 'X-Secret-Key': given }
      return {
        read: await attempt(async () => (await fetch(`http://${host}/api/health`)).status),
        change: await attempt(async () => {
          return (await fetch(`http://${host}/rpc/settings.set`, { ...change, headers: json })).status
        }),
        form: await attempt(async () => {
          return (await fetch(`http://${host}/rpc/settings.set`, { ...change, mode: 'no-cors' })).type
        }),
        socket: await attempt(
          () =>
            new Promise((resolve) => {
              const socket = new WebSocket(`ws://${host}/ws`)
              socket.onopen = () => resolve('open')
              socket.onclose = () => resolve('closed')
            }),
        ),
        frame: await attempt(
          () =>
            new Promise((resolve) => {
              const frame = document.createElement('iframe')
              frame.src = `http://${host}/`
              frame.onload = () => resolve(frame.contentDocument === null ? 'unreadable' : 'readable')
              document.body.append(frame)
            }),
        ),
      }
    },
    [`127.0.0.1:${port}`, secret],
  )
  expect(got).toMatchObject({ read: 'nothing', change: 'nothing', socket: '"closed"', frame: '"unreadable"' })
  expect((await app.call('settings.get', {})).maxConcurrentTasks).toBe(3)
  const frames = evil.frames().map((frame) => frame.url())
  expect(frames.filter((url) => url.startsWith(`http://127.0.0.1:${port}`))).toEqual([])
})
