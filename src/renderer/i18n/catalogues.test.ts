import { describe, expect, test } from 'vitest'
import { errorCodes } from '../../shared/errors.ts'
import { en } from './en.ts'
import { pseudoCatalogue } from './pseudo.ts'
import { wordsOf } from './words-of.ts'
import { zhCn } from './zh-cn.ts'
import type { Catalogue } from './catalogue.ts'

const plural = /_(zero|one|two|few|many|other)$/
const ordinal = /_ordinal_(zero|one|two|few|many|other)$/
const base = (key: string): string => key.replace(ordinal, '').replace(plural, '')
const bases = (catalogue: Catalogue): string[] => [...new Set(Object.keys(catalogue).map(base))].sort()
const placeholders = (message: string): string[] => [...new Set(message.match(/\{\{\w+\}\}/g) ?? [])].sort()

describe('the catalogues', () => {
  test('English and Chinese have the same messages', () => {
    expect(bases(zhCn)).toEqual(bases(en))
  })

  test.each([
    ['en', en, 'en-GB'],
    ['zh-CN', zhCn, 'zh-CN'],
  ] as const)('%s has every plural form that its language needs', (_name, catalogue: Catalogue, locale) => {
    const missing: string[] = []
    for (const key of Object.keys(catalogue)) {
      if (!plural.test(key)) continue
      const isOrdinal = ordinal.test(key)
      const rules = new Intl.PluralRules(locale, { type: isOrdinal ? 'ordinal' : 'cardinal' })
      for (const category of rules.resolvedOptions().pluralCategories) {
        const needed = `${base(key)}${isOrdinal ? '_ordinal' : ''}_${category}`
        if (catalogue[needed] === undefined) missing.push(needed)
      }
    }
    expect(missing).toEqual([])
  })

  test('every message has the same values in both languages', () => {
    const valuesOf = (catalogue: Catalogue): Record<string, string[]> => {
      const values: Record<string, Set<string>> = {}
      for (const [key, message] of Object.entries(catalogue)) {
        const set = (values[base(key)] ??= new Set())
        for (const value of placeholders(message)) set.add(value)
      }
      return Object.fromEntries(Object.entries(values).map(([key, set]) => [key, [...set].sort()]))
    }
    expect(valuesOf(zhCn)).toEqual(valuesOf(en))
  })

  test('every error code has words and a next step', () => {
    const missing = errorCodes
      .flatMap((code) => [`error.${code}`, `error.${code}.help`])
      .filter((key) => !(key in en) || !(key in zhCn))
    expect(missing).toEqual([])
  })

  test('no message is empty, shouts or has two spaces in a row', () => {
    const wrong = Object.entries({ ...en, ...zhCn }).filter(
      ([, message]) => message.trim() === '' || /!|！| {2}/.test(message),
    )
    expect(wrong).toEqual([])
  })

  test('Chinese uses full-width punctuation and a space between Han and Latin letters', () => {
    const wrong = Object.entries(zhCn).filter(([, message]) => {
      const text = message.replace(/\{\{\w+\}\}/g, '')
      return /[\p{Script=Han}][,;:?!()]|[\p{Script=Han}][A-Za-z0-9]|[A-Za-z0-9][\p{Script=Han}]/u.test(text)
    })
    expect(wrong).toEqual([])
  })

  test('the pseudo-locale keeps the values, and is longer and accented', () => {
    const pseudo = pseudoCatalogue(en)
    for (const [key, message] of Object.entries(en)) {
      const made = pseudo[key] ?? ''
      expect(placeholders(made)).toEqual(placeholders(message))
      expect(made.length).toBeGreaterThan(message.length)
      if (/[a-z]/i.test(message.replace(/\{\{\w+\}\}/g, ''))) expect(made).toMatch(/[^\u0000-\u007f]/)
    }
  })

  test('plurals follow the language', async () => {
    const english = await wordsOf('en')
    expect(english.t('strip.tasks', { count: 1 })).toBe('1 task')
    expect(english.t('strip.tasks', { count: 1500 })).toBe('1,500 tasks')
    expect(english.t('add.submit', { count: 0 })).toBe('Download')
    const chinese = await wordsOf('zh-CN')
    expect(chinese.t('strip.tasks', { count: 1 })).toBe('1 个任务')
    expect(chinese.t('add.submit', { count: 1 })).toBe('下载 1 个链接')
  })
})
