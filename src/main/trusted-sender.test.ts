import { expect, test } from 'vitest'
import { isTrustedSender } from './trusted-sender.ts'
import type { SenderFacts } from './trusted-sender.ts'

const ourWindow = 1
const isOurs = (id: number): boolean => id === ourWindow
const mainFrame = { url: 'app://sluice/index.html', parent: null }
const sender = (id: number, senderFrame: SenderFacts['senderFrame']): SenderFacts => ({
  sender: { id },
  senderFrame,
})

test('the main frame of our window with our own page is trusted', () => {
  expect(isTrustedSender(sender(ourWindow, mainFrame), isOurs)).toBe(true)
})

test('a window that is not ours is refused, whatever it shows', () => {
  expect(isTrustedSender(sender(2, mainFrame), isOurs)).toBe(false)
})

test('a frame inside our page is refused, even with our own URL', () => {
  // only `parent` being there counts; a whole frame cannot be made outside Electron
  const parent = {} as NonNullable<SenderFacts['senderFrame']>['parent']
  expect(isTrustedSender(sender(ourWindow, { ...mainFrame, parent }), isOurs)).toBe(false)
})

test('a frame that is gone is refused', () => {
  expect(isTrustedSender(sender(ourWindow, null), isOurs)).toBe(false)
})

test.each([
  '',
  'about:blank',
  'https://example.org/',
  'app://other/',
  'file:///index.html',
  'data:text/html,x',
])('our window showing %j is refused', (url) => {
  expect(isTrustedSender(sender(ourWindow, { url, parent: null }), isOurs)).toBe(false)
})
