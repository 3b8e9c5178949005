/** Numbered link patterns: `http://h/part[001-120].zip` stands for 120 links. Pure. */
import { SluiceError } from './errors.ts'

/** Most links that one pattern may stand for. */
export const maxPatternLinks = 10_000

interface Pattern {
  /** text before the pattern */
  before: string
  values: string[]
}

const pattern = /\[(?:(\d{1,15})-(\d{1,15})|([a-z])-([a-z])|([A-Z])-([A-Z]))(?::(\d{1,9}))?\]/g

/**
 * The links that a text stands for, in order, the last pattern counting fastest; the text itself when it has no
 * pattern. Numbers keep the width of the first one (`[08-11]`), may count down, and take a step (`[0-100:10]`);
 * letters likewise. Throws `INVALID_INPUT` for a step of zero and beyond `maxPatternLinks`.
 */
export function expandLinkPattern(text: string): string[] {
  const { parts, rest } = partsOf(text)
  const count = parts.reduce((product, { values }) => product * values.length, 1)
  if (count > maxPatternLinks) tooMany()
  return parts.reduceRight<string[]>(
    (tails, { before, values }) => values.flatMap((value) => tails.map((tail) => `${before}${value}${tail}`)),
    [rest],
  )
}

function tooMany(): never {
  throw new SluiceError('INVALID_INPUT', `The pattern stands for more than ${maxPatternLinks} links`, {
    hint: 'Split it into smaller ranges.',
  })
}

function partsOf(text: string): { parts: Pattern[]; rest: string } {
  const parts: Pattern[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    parts.push({ before: text.slice(at, match.index), values: valuesOf(match) })
    at = match.index + match[0].length
  }
  return { parts, rest: text.slice(at) }
}

function valuesOf(match: RegExpExecArray): string[] {
  const [, first, last, lowerFirst, lowerLast, upperFirst, upperLast, stepText] = match
  const step = Number(stepText ?? 1)
  if (step === 0) {
    throw new SluiceError('INVALID_INPUT', 'The step of the pattern is zero', {
      hint: 'Give a step of 1 or more.',
    })
  }
  if (first !== undefined && last !== undefined) {
    return count(Number(first), Number(last), step).map((value) => String(value).padStart(first.length, '0'))
  }
  const [from = '', to = ''] = [lowerFirst ?? upperFirst, lowerLast ?? upperLast]
  return count(from.charCodeAt(0), to.charCodeAt(0), step).map((code) => String.fromCharCode(code))
}

function count(from: number, to: number, step: number): number[] {
  const length = Math.floor(Math.abs(to - from) / step) + 1
  if (length > maxPatternLinks) tooMany()
  return Array.from({ length }, (_, i) => from + (to < from ? -1 : 1) * step * i)
}
