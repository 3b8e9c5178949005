import { expect, test } from 'vitest'
import { appStartUrl, isAppUrl } from './app-url.ts'

test('the start page and what lies beside it are of our own origin', () => {
  expect(isAppUrl(appStartUrl)).toBe(true)
  expect(isAppUrl('app://sluice/assets/main.js?x#y')).toBe(true)
  expect(isAppUrl('app://sluice')).toBe(true)
})

test.each([
  'app://sluice.example.org/index.html',
  'app://sluice:1234/index.html',
  'app://sluice@evil/index.html',
  'app://user@sluice/index.html',
  'app://other/index.html',
  'app:sluice',
  'apps://sluice/index.html',
  'https://sluice/index.html',
  'file:///index.html',
  'about:blank',
  'data:text/html,app://sluice/',
  'blob:app://sluice/1234',
  'javascript:app://sluice/',
  '//sluice/index.html',
  '',
])('%j is not of our own origin', (url) => {
  expect(isAppUrl(url)).toBe(false)
})
