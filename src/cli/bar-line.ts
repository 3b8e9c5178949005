/** One task as one line of a terminal. */
import type { TaskRow } from '../shared/view.ts'
import { columnsOf, fit } from './terminal-text.ts'
import { duration, happening, size } from './words.ts'

/** What a terminal can show. */
export interface Look {
  color: boolean
  /** characters beyond ASCII */
  unicode: boolean
}

const widestBar = 40
const narrowestBar = 10
/** of what is left beside the figures, the bar gets this much and the name the rest */
const shareOfBar = 0.45

function painted(text: string, code: number, look: Look): string {
  return look.color && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text
}

function bar(progress: number, columns: number, look: Look): string {
  const filled = Math.floor((progress / 100) * columns)
  const [full, empty] = look.unicode ? ['━', look.color ? '━' : '─'] : ['#', '-']
  return painted(full.repeat(filled), 32, look) + painted(empty.repeat(columns - filled), 90, look)
}

/**
 * Name, bar, share, speed and time left of a task at work. Exactly `columns` wide (40 and up), colours not counted;
 * the bar goes first when there is little room, then what happens is said in place of it.
 */
export function barLine(row: TaskRow, columns: number, look: Look): string {
  const moves = row.bytesPerSecond > 0
  const speed = moves ? `${size(row.bytesPerSecond)}/s` : ''
  const left = moves && row.remainingSeconds !== null ? duration(row.remainingSeconds) : ''
  // without a length there is no share to show: what has arrived says more
  const share = row.size === null ? size(row.doneBytes) : `${Math.floor(row.progress)}%`
  const figures = `${share.padStart(8)} ${speed.padStart(10)} ${left.padStart(6)}`
  const room = columns - figures.length
  const barColumns = Math.min(widestBar, Math.floor(room * shareOfBar))
  const hasBar = moves && row.size !== null && barColumns >= narrowestBar
  const middle = hasBar ? ` ${bar(row.progress, barColumns, look)}` : ''
  const name = moves ? row.title : `${row.title} · ${happening(row)}`
  return `${fit(name, room - (hasBar ? barColumns + 1 : 0))}${middle}${figures}`
}

/** A task that has ended or rests, as it stays above the bars. Not wider than `columns`. */
export function endLine(row: TaskRow, columns: number, look: Look): string {
  const good = row.state === 'COMPLETED'
  const sign = look.unicode ? (good ? '✓' : '✗') : good ? 'ok' : '!!'
  const what = good ? size(row.doneBytes) : happening(row)
  const room = columns - columnsOf(sign) - 1
  return `${painted(sign, good ? 32 : 31, look)} ${fit(`${row.title}  ${what}`, room).trimEnd()}`
}
