import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './app.ts'
import { visitScreens } from './screens.ts'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** In one frame, which is all there is: else each look at the page would open another page beside it. */
const axeOf = (page: Page): AxeBuilder => new AxeBuilder({ page }).setLegacyMode(true)

async function violationsOf(axe: AxeBuilder): Promise<string[]> {
  const { violations } = await axe.analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}

test('axe finds nothing on any screen in the light theme, nor anything about colours in the dark one', async ({
  app,
  source,
}) => {
  test.slow()
  await app.call('settings.set', { theme: 'light' })
  const visited: string[] = []
  await visitScreens(app, source, 'en', async (screen) => {
    const { page } = app
    expect.soft(await violationsOf(axeOf(page).withTags(tags)), screen).toEqual([])
    // themes differ in nothing but colours
    await app.call('settings.set', { theme: 'dark' })
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
    const colours = axeOf(page).withRules(['color-contrast', 'link-in-text-block'])
    expect.soft(await violationsOf(colours), `${screen}, dark`).toEqual([])
    await app.call('settings.set', { theme: 'light' })
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
    visited.push(screen)
  })
  expect(visited).toContain('settings')
})

/**
 * Elements whose text is wider or higher than they are, and that neither scroll nor say so with an ellipsis whose
 * whole text is in a tooltip.
 */
function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const clipped: string[] = []
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const ownText = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
      )
      const style = getComputedStyle(element)
      if (!ownText || style.visibility === 'hidden' || element.clientWidth === 0) continue
      // text for screen readers alone is clipped on purpose
      if (element.clientWidth <= 1 || style.position === 'absolute') continue
      const hides = (overflow: string) => overflow === 'hidden' || overflow === 'clip'
      const tooWide = hides(style.overflowX) && element.scrollWidth > element.clientWidth + 1
      const tooHigh = hides(style.overflowY) && element.scrollHeight > element.clientHeight + 1
      const isToldInFull = style.textOverflow === 'ellipsis' && element.closest('[title]') !== null
      if ((tooWide && !isToldInFull) || tooHigh) {
        clipped.push(`${element.className || element.tagName}: ${element.innerText.slice(0, 60)}`)
      }
    }
    const root = document.documentElement
    if (root.scrollWidth > root.clientWidth) clipped.push('the window scrolls sideways')
    return clipped
  })
}

for (const language of ['en', 'zh-CN'] as const) {
  test(`no text is clipped at 480 × 360 in ${language}`, async ({ app, source }) => {
    test.slow()
    const visited: string[] = []
    await visitScreens(app, source, language, async (screen) => {
      await app.page.setViewportSize({ width: 480, height: 360 })
      await expect.poll(() => app.page.evaluate(() => innerWidth)).toBe(480)
      expect.soft(await clippedTexts(app.page), screen).toEqual([])
      await app.page.setViewportSize({ width: 1280, height: 800 })
      visited.push(screen)
    })
    expect(visited).toContain('settings')
  })
}
