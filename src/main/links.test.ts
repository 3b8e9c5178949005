import { expect, test } from 'vitest'
import { linksAmong } from './links.ts'

test('web links are taken from the arguments of a start, in order', () => {
  const args = ['/opt/sluice/sluice', '.', 'https://host.example/a', '--flag', 'http://host.example/b']
  expect(linksAmong(args)).toEqual(['https://host.example/a', 'http://host.example/b'])
})

test('a link given through the protocol of the app is unwrapped', () => {
  expect(linksAmong(['sluice:https://host.example/a', 'SLUICE://https://host.example/b'])).toEqual([
    'https://host.example/a',
    'https://host.example/b',
  ])
})

test.each([
  '--proxy=https://host.example/',
  'sluice:--user-data-dir=/tmp/x',
  'sluice:file:///etc/passwd',
  'sluice:javascript:alert(1)',
  'ms-settings:privacy',
  'sluice:ms-settings:privacy',
  'file:///etc/passwd',
  'magnet:?xt=urn:btih:1',
  'sluice:sluice:https://host.example/',
  `https://host.example/${'x'.repeat(9000)}`,
])('C133 %s is not taken for a link', (argument) => {
  expect(linksAmong([argument])).toEqual([])
})

test('no more links are taken than one addition may have', () => {
  expect(linksAmong(Array.from({ length: 20_000 }, () => 'https://host.example/'))).toHaveLength(10_000)
})
