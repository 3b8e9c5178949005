/**
 * Draws resources/icon.svg in every size that packages and the tray need. Run by hand after a change of the
 * drawing (`node scripts/make-icons.js`); the pictures are committed. CHROMIUM names the browser that draws.
 */
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { chromium } from '@playwright/test'

const resources = path.join(import.meta.dirname, '../resources')
const pictures = [
  ...[16, 24, 32, 48, 64, 128, 256, 512, 1024].map((size) => ({ size, file: `icons/${size}x${size}.png` })),
  { size: 24, file: 'tray.png' },
  { size: 48, file: 'tray@2x.png' },
]

const drawing = await readFile(path.join(resources, 'icon.svg'), 'utf8')
await mkdir(path.join(resources, 'icons'), { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
try {
  for (const { size, file } of pictures) {
    const page = await browser.newPage({ viewport: { width: size, height: size } })
    await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px}</style>${drawing}`)
    await page.screenshot({ path: path.join(resources, file), omitBackground: true })
    await page.close()
  }
} finally {
  await browser.close()
}
