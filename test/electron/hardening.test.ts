/** The checklist for Electron, row by row, on the built app: what the page is given, and what it is denied. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchApp, makeDataFolder, program } from './launch-app.ts'
import type { RunningApp } from './launch-app.ts'

let running: RunningApp
let outside: Server
let outsideUrl: string
/** requests that reached the world outside the app */
const leaked: string[] = []

beforeAll(async () => {
  outside = createServer((request, response) => {
    leaked.push(request.url ?? '')
    response.end('outside')
  })
  await once(outside.listen(0, '127.0.0.1'), 'listening')
  outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
  running = await launchApp(await makeDataFolder())
})

afterAll(async () => {
  await running.end()
  outside.close()
})

describe(`on the ${program.kind}`, () => {
  describe('the window', () => {
    test('is made with every confining preference spelled out', async () => {
      const preferences = await running.app.evaluate(({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents
        // an accessor that Electron has and does not document
        return (contents as unknown as { getLastWebPreferences(): object }).getLastWebPreferences()
      })
      expect(preferences).toMatchObject({
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        allowRunningInsecureContent: false,
        webviewTag: false,
        experimentalFeatures: false,
        navigateOnDragDrop: false,
        disableBlinkFeatures: 'Auxclick',
        spellcheck: false,
      })
      expect(preferences).not.toHaveProperty('enableBlinkFeatures')
    })

    test('shows a page that knows nothing of Node and Electron', async () => {
      const globals = await running.page.evaluate(() =>
        ['require', 'process', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer', '__dirname'].filter(
          (name) => name in window,
        ),
      )
      expect(globals).toEqual([])
    })

    test('gives the page one frozen bridge of four functions', async () => {
      const bridge = await running.page.evaluate(() => ({
        keys: Object.keys(window.sluice).sort(),
        frozen: Object.isFrozen(window.sluice),
        types: Object.values(window.sluice).map((each) => typeof each),
      }))
      expect(bridge.keys).toEqual(['call', 'on', 'onConnection', 'watchList'])
      expect(bridge.frozen).toBe(true)
      expect(new Set(bridge.types)).toEqual(new Set(['function']))
    })
  })

  describe('the page is served', () => {
    test('C133 with the strict policy, which no inline script and no eval gets past', async () => {
      const seen = await running.page.evaluate(async () => {
        const response = await fetch('/index.html')
        const outcomes: string[] = []
        const attempt = (name: string, deed: () => unknown): void => {
          try {
            deed()
            outcomes.push(`${name} passed`)
          } catch {
            outcomes.push(`${name} refused`)
          }
        }
        const script = document.createElement('script')
        attempt('script text', () => (script.text = 'window.ran = true'))
        attempt('inner HTML', () => (document.createElement('div').innerHTML = '<img src=x>'))
        attempt('script address', () => (script.src = 'data:text/javascript,1'))
        return {
          policy: response.headers.get('content-security-policy'),
          sniffing: response.headers.get('x-content-type-options'),
          outcomes,
        }
      })
      expect(seen.policy).toMatch(/^default-src 'none'; script-src 'self';/)
      expect(seen.sniffing).toBe('nosniff')
      expect(seen.outcomes).toEqual(['script text refused', 'inner HTML refused', 'script address refused'])
    })

    test('from its own folder only', async () => {
      const statuses = await running.page.evaluate(() =>
        Promise.all(
          [
            '/..%2f..%2fpackage.json',
            '/..%5c..%5cpackage.json',
            '/%2e%2e/main/index.cjs',
            '/%2fetc/hosts',
          ].map(async (path) => (await fetch(path)).status),
        ),
      )
      expect(statuses).toEqual([404, 404, 404, 404])
    })
  })

  describe('the page cannot', () => {
    test('navigate away', async () => {
      // Chromium refuses files and data itself, and says so; the rest is asked of us
      const refusals: string[] = []
      running.page.on('console', (message) => {
        if (message.text().startsWith('Not allowed to')) refusals.push(message.text())
      })
      await running.app.evaluate(({ BrowserWindow }) => {
        const asked: string[] = []
        Object.assign(globalThis, { asked })
        BrowserWindow.getAllWindows()[0]?.webContents.on('will-navigate', ({ url }) => asked.push(url))
      })
      const asked = (): Promise<string[]> =>
        running.app.evaluate(() => (globalThis as unknown as { asked: string[] }).asked)
      let clicks = 0
      for (const url of [`${outsideUrl}/navigated`, 'file:///etc/hosts', 'data:text/html,x']) {
        const before = running.page.url()
        await running.page.evaluate((target) => {
          const link = document.createElement('a')
          link.href = target
          link.click()
        }, url)
        clicks += 1
        await expect
          .poll(async () => (await asked()).length + refusals.length, { timeout: 10_000 })
          .toBe(clicks)
        expect(running.page.url()).toBe(before)
      }
      expect(await asked()).toContain(`${outsideUrl}/navigated`)
      expect(leaked).toEqual([])
    })

    test('C133 open a window; only web links go to the browser', async () => {
      await running.app.evaluate(({ shell }) => {
        const opened: string[] = []
        Object.assign(globalThis, { opened })
        shell.openExternal = (url) => Promise.resolve(void opened.push(url))
      })
      const results = await running.page.evaluate(() =>
        [
          'file:///etc/hosts',
          'smb://host.example/x',
          'javascript:alert(1)',
          'ms-settings:privacy',
          'search-ms:query=x',
          // last: when it has come, the others have had their turn
          'https://host.example/page',
        ].map((url) => window.open(url) === null),
      )
      expect(results).toEqual([true, true, true, true, true, true])
      await expect
        .poll(() => running.app.evaluate(() => (globalThis as { opened?: string[] }).opened))
        .toEqual(['https://host.example/page'])
      expect(running.app.windows()).toHaveLength(1)
    })

    test('get a permission but that of writing text to the clipboard', async () => {
      const states = await running.page.evaluate(() =>
        Promise.all(
          [
            'geolocation',
            'notifications',
            'camera',
            'microphone',
            'midi',
            'clipboard-read',
            'clipboard-write',
          ].map(
            async (name) =>
              `${name} ${(await navigator.permissions.query({ name: name as PermissionName })).state}`,
          ),
        ),
      )
      expect(states).toEqual([
        'geolocation denied',
        'notifications denied',
        'camera denied',
        'microphone denied',
        'midi denied',
        'clipboard-read denied',
        'clipboard-write granted',
      ])
    })

    test('send a request outside, and neither can a page without our policy', async () => {
      await running.page.evaluate(async (url) => {
        await fetch(`${url}/fetched`).catch(() => undefined)
        const image = new Image()
        image.src = `${url}/image`
        await image.decode().catch(() => undefined)
      }, outsideUrl)
      await running.app.evaluate(async ({ BrowserWindow }, url) => {
        const window = new BrowserWindow({ show: false, webPreferences: { sandbox: true } })
        await window.loadURL(
          `data:text/html,<img src="${url}/from-data"><iframe src="${url}/frame"></iframe>`,
        )
        window.destroy()
      }, outsideUrl)
      expect(leaked).toEqual([])
    })

    test('reach the bridge from a frame inside it', async () => {
      const inner = await running.page.evaluate(() => {
        const frame = document.createElement('iframe')
        document.body.append(frame)
        const found = ['sluice', 'require', 'process'].filter((name) => name in (frame.contentWindow ?? {}))
        frame.remove()
        return found
      })
      expect(inner).toEqual([])
    })
  })

  describe('a command', () => {
    test('from our page is answered', async () => {
      const answer = await running.page.evaluate(() => window.sluice.call('app.info', {}))
      expect(answer).toMatchObject({ ok: true, value: { host: 'electron' } })
    })

    test.each([[null], ['text'], [[]], [{ unknown: true }], [{ ids: [] }]])(
      'with an input of the wrong shape, %j, is answered INVALID_INPUT',
      async (input) => {
        const answer = await running.page.evaluate(
          (value) => window.sluice.call('tasks.pause', value as never),
          input,
        )
        expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } })
      },
    )

    test('that does not exist, or carries what cannot be sent, is an answer with a code too', async () => {
      const answers = await running.page.evaluate(() =>
        Promise.all([
          window.sluice.call('app.quit' as never, {} as never),
          window.sluice.call('toString' as never, {} as never),
          window.sluice.call('app.info', { deed: () => 1 } as never),
        ]),
      )
      for (const answer of answers) {
        expect(answer).toMatchObject({ ok: false, error: { code: expect.any(String) as string } })
      }
    })

    test('from a page of another origin is answered FORBIDDEN, even in a window with our preload', async () => {
      const answer = await running.app.evaluate(async ({ BrowserWindow }) => {
        const ours = BrowserWindow.getAllWindows()[0]?.webContents
        const { preload } = (
          ours as unknown as { getLastWebPreferences(): { preload: string } }
        ).getLastWebPreferences()
        const foreign = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true } })
        await foreign.loadURL('data:text/html,<h1>foreign</h1>')
        const seen: unknown = await foreign.webContents.executeJavaScript(
          `window.sluice.call('app.info', {})`,
        )
        foreign.destroy()
        return seen
      })
      expect(answer).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } })
    })

    test('from a window of ours that is not the main one is answered FORBIDDEN, even with our own page', async () => {
      const answer = await running.app.evaluate(async ({ BrowserWindow }) => {
        const ours = BrowserWindow.getAllWindows()[0]?.webContents
        const { preload } = (
          ours as unknown as { getLastWebPreferences(): { preload: string } }
        ).getLastWebPreferences()
        const second = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true } })
        await second.loadURL('app://sluice/index.html')
        const seen: unknown = await second.webContents.executeJavaScript(`window.sluice.call('app.info', {})`)
        second.destroy()
        return seen
      })
      expect(answer).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } })
    })
  })
})
