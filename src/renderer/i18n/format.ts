/** Sizes, speeds, times and counts in the locale's own form. Numbers and units are joined by a no-break space. */
import { isolate } from './figures.ts'
import type { MessageKey } from './catalogue.ts'

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

export interface Format {
  number(value: number): string
  /** `fraction` 0–1; never shows 100 % before it is whole */
  percent(fraction: number): string
  /** bytes, decimal units, three significant digits */
  size(bytes: number): string
  /** exact bytes, with the locale's separators */
  exactSize(bytes: number): string
  /** bytes per second as a size, never finer than kilobytes */
  rate(bytesPerSecond: number): string
  /** a part of `whole`: without its unit when that is the same ("3.14" of "5.36 GB") */
  part(bytes: number, whole: number): string
  clock(epochMs: number): string
  /** day and month, with the year when it is not this one */
  day(epochMs: number, nowMs: number): string
  list(items: readonly string[]): string
}

/** Position in `sizeUnits` of the unit in which so many bytes are shown. */
const sizeStep = (bytes: number): number => {
  let step = 0
  // 999.5 kB would be shown as "1,000 kB": from there on the next unit is used
  for (let value = bytes; value >= 999.5 && step < sizeUnits.length - 1; value /= 1000) step++
  return step
}

export function createFormat(locale: string): Format {
  const numbers = new Intl.NumberFormat(locale)
  const figures = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
  const percents = new Intl.NumberFormat(locale, { style: 'percent' })
  const units = sizeUnits.map(
    (unit) =>
      new Intl.NumberFormat(locale, {
        style: 'unit',
        unit,
        unitDisplay: unit === 'byte' ? 'long' : 'short',
        maximumSignificantDigits: 3,
      }),
  )
  const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
  const dayAndYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
  const list = new Intl.ListFormat(locale, { type: 'conjunction' })

  const inUnit = (bytes: number, step: number): string =>
    (units[step] ?? numbers).format(bytes / 1000 ** step).replace(/ /g, '\u00a0')

  return {
    number: (value) => numbers.format(value),
    percent: (fraction) => percents.format(fraction >= 1 ? 1 : Math.floor(fraction * 100 + 1e-6) / 100),
    size: (bytes) => inUnit(bytes, sizeStep(bytes)),
    rate: (bytesPerSecond) =>
      bytesPerSecond < 1 ? inUnit(0, 2) : inUnit(bytesPerSecond, Math.max(1, sizeStep(bytesPerSecond))),
    exactSize: (bytes) => numbers.format(bytes),
    part: (bytes, whole) => {
      const step = sizeStep(bytes)
      return step === sizeStep(whole) ? figures.format(bytes / 1000 ** step) : inUnit(bytes, step)
    },
    clock: (epochMs) => clock.format(epochMs),
    day: (epochMs, nowMs) =>
      (new Date(epochMs).getFullYear() === new Date(nowMs).getFullYear() ? day : dayAndYear).format(epochMs),
    list: (items) => list.format(items),
  }
}

/** Whole days between two moments by the local calendar: 0 is the same day, 1 is yesterday. */
export function daysApart(epochMs: number, nowMs: number): number {
  const start = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0)
  return Math.round((start(nowMs) - start(epochMs)) / 86_400_000)
}

type Say = (key: MessageKey, values?: Readonly<Record<string, string | number>>) => string

/** As much of `Words` as figures need. */
interface FigureWords {
  readonly format: Format
  readonly t: Say
}

interface MomentWords {
  readonly format: Format
  readonly marked: Say
}

/** Bytes per second as "12.4 MB/s". */
export function speed(words: FigureWords, bytesPerSecond: number): string {
  return isolate(words.t('figure.speed', { size: words.format.rate(bytesPerSecond) }))
}

/** Seconds as "40 s", "3 min", "1 h 28 min", "2 d 4 h": at most two units, the smaller one left out when zero. */
export function duration(words: FigureWords, seconds: number): string {
  return isolate(durationText(words, seconds))
}

function durationText(words: FigureWords, seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const n = (value: number): string => words.format.number(value)
  if (whole < 60) return words.t('figure.seconds', { n: n(whole) })
  const minutes = Math.round(whole / 60)
  if (minutes < 60) return words.t('figure.minutes', { n: n(minutes) })
  const hours = Math.floor(minutes / 60)
  if (hours < 24) {
    const rest = minutes % 60
    return rest === 0
      ? words.t('figure.hours', { n: n(hours) })
      : words.t('figure.hoursAndMinutes', { hours: n(hours), minutes: n(rest) })
  }
  const days = Math.floor(hours / 24)
  const rest = hours % 24
  return rest === 0
    ? words.t('figure.days', { n: n(days) })
    : words.t('figure.daysAndHours', { days: n(days), hours: n(rest) })
}

/** A moment as "09:41" (today), "yesterday" or "3 May". */
export function moment(words: MomentWords, epochMs: number, nowMs: number): string {
  const days = daysApart(epochMs, nowMs)
  if (days === 0) return words.marked('moment.today', { time: words.format.clock(epochMs) })
  if (days === 1) return words.marked('moment.yesterday')
  return words.marked('moment.day', { day: words.format.day(epochMs, nowMs) })
}

/** A moment in full: "today, 10:48", "yesterday, 10:48", "3 May, 10:48". */
export function fullMoment(words: MomentWords, epochMs: number, nowMs: number): string {
  const time = words.format.clock(epochMs)
  const days = daysApart(epochMs, nowMs)
  if (days === 0) return words.marked('moment.todayAt', { time })
  if (days === 1) return words.marked('moment.yesterdayAt', { time })
  return words.marked('moment.dayAt', { day: words.format.day(epochMs, nowMs), time })
}
