import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './app.ts'
import { visitScreens } from './screens.ts'

for (const theme of ['light', 'dark'] as const) {
  test(`axe finds nothing on any screen in the ${theme} theme`, async ({ app, source }) => {
    test.slow()
    await app.call('settings.set', { theme })
    const visited: string[] = []
    await visitScreens(app, source, 'en', async (screen) => {
      const { violations } = await new AxeBuilder({ page: app.page })
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
        .analyze()
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
      expect.soft(found, screen).toEqual([])
      visited.push(screen)
    })
    expect(visited).toContain('settings')
  })
}

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
