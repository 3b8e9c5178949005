import { expect, test } from 'vitest'
import { webLinksIn } from './use-incoming-links.ts'

test('links are found in whatever text they come with', () => {
  expect(webLinksIn('see https://a.example/1 and <http://b.example/2?x=1&y=2> today')).toBe(
    'https://a.example/1\nhttp://b.example/2?x=1&y=2',
  )
})

test('a text without web links offers nothing', () => {
  expect(webLinksIn('magnet:?xt=1 ftp://a.example file:///etc/passwd')).toBe('')
})
