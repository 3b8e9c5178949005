import { expect, test } from 'vitest'
import { memoryStorage } from '../store/memory-storage.ts'
import { forgetSecret, keepSecret, takeSecret } from './secret.ts'

function tabAt(hash: string) {
  const replaced: string[] = []
  const tab = {
    location: { hash, pathname: '/', search: '?x=1' },
    history: { replaceState: (_data: unknown, _title: string, url: string) => replaced.push(url) },
    sessionStorage: memoryStorage(),
  }
  // as much of a tab as the secret needs
  return { tab: tab as unknown as Window, replaced }
}

test('a secret in the address is taken, kept for the tab and removed from the address', () => {
  const { tab, replaced } = tabAt('#secret=abc%20d')
  expect(takeSecret(tab)).toBe('abc d')
  expect(replaced).toEqual(['/?x=1'])
  expect(tab.sessionStorage.getItem('sluice.secret')).toBe('abc d')
})

test('a reload finds the kept secret', () => {
  const { tab, replaced } = tabAt('')
  keepSecret(tab, 'kept')
  expect([takeSecret(tab), replaced]).toEqual(['kept', []])
  forgetSecret(tab)
  expect(takeSecret(tab)).toBeNull()
})

test('a secret in the address wins over a kept one', () => {
  const { tab } = tabAt('#secret=new')
  keepSecret(tab, 'old')
  expect(takeSecret(tab)).toBe('new')
})

test('an address without a secret has none', () => {
  expect(takeSecret(tabAt('#elsewhere').tab)).toBeNull()
})
