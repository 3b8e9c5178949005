import { expect, test } from 'vitest'
import { chooseLanguage } from './languages.ts'

test('the first language of the system that there is a catalogue for is shown', () => {
  expect(chooseLanguage('system', ['fr-FR', 'zh-Hans-CN', 'en-US'])).toBe('zh-CN')
  expect(chooseLanguage('system', ['en-US', 'zh-CN'])).toBe('en')
  expect(chooseLanguage('system', ['fr'])).toBe('en')
  expect(chooseLanguage('system', [])).toBe('en')
})

test('a chosen language does not ask the system', () => {
  expect(chooseLanguage('zh-CN', ['en'])).toBe('zh-CN')
})
