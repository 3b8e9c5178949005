/**
 * Runs first in every document, in the page's own world: puts there what the preload exposes, and keeps pages
 * from opening windows by themselves. A window that Chromium opened could not be held back while Playwright
 * attaches to it, so `window.open` and links with a target never reach Chromium.
 */
;(function mainWorld(link) {
  const deepFreeze = (value) => {
    if (value === null || typeof value !== 'object') return value
    Object.values(value).forEach(deepFreeze)
    return Object.freeze(value)
  }
  link.onTell('expose', (name, value) => {
    Object.defineProperty(window, name, { value: deepFreeze(value), enumerable: true })
  })

  const open = (url, name = '') => {
    link.tell('open', new URL(url, document.baseURI).href, name)
    return null
  }
  window.open = open
  window.addEventListener('click', (event) => {
    const anchor = event.target instanceof Element ? event.target.closest('a[target="_blank"]') : null
    if (anchor === null || event.defaultPrevented) return
    event.preventDefault()
    open(anchor.href, '_blank')
  })
})
