import path from 'node:path'
import { test } from './app.ts'
import { visitScreens } from './screens.ts'

// `npm run screenshots`: pictures to be looked at beside the mock-ups; nothing is compared by machine
const folder = process.env['SLUICE_SCREENSHOTS'] ?? '.screenshots'

const sizes = { narrow: { width: 480, height: 600 }, wide: { width: 1280, height: 800 } }

for (const theme of ['light', 'dark'] as const) {
  for (const language of ['en', 'zh-CN'] as const) {
    test(`screens in ${theme}, ${language}`, async ({ app, source }, testInfo) => {
      test.slow()
      await app.call('settings.set', { theme })
      await visitScreens(app, source, language, async (screen) => {
        for (const [width, size] of Object.entries(sizes)) {
          await app.page.setViewportSize(size)
          const name = `${screen}-${theme}-${language}-${width}.png`
          await app.page.screenshot({
            path: path.join(folder, testInfo.project.name, name),
            // as it stands, not on its way
            animations: 'disabled',
          })
        }
        await app.page.setViewportSize(sizes.wide)
      })
    })
  }
}
