/** The browser for the server's window: the system's Chromium, without sandbox for root and without background traffic. */
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'
import type { Browser } from '@playwright/test'

const places = [
  process.env['SLUICE_TEST_BROWSER'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

export async function startBrowser(): Promise<Browser> {
  const executablePath = places.find((place) => place !== undefined && existsSync(place))
  return chromium.launch({
    // none of ours: Playwright looks for its own
    ...(executablePath === undefined ? {} : { executablePath }),
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
