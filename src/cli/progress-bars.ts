/**
 * Progress bars for several tasks at once. What runs is drawn in place; what has ended scrolls away above, one
 * line each, so that the terminal's history tells the whole story.
 */
import { isTerminal } from '../shared/task/derive.ts'
import type { TaskRow } from '../shared/view.ts'
import { duration, happening, size } from './words.ts'

/** A terminal, as far as bars need one. */
export interface Screen {
  write(text: string): unknown
  columns?: number | undefined
  rows?: number | undefined
}

const redrawMs = 200
const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'
const clearBelow = '\u001b[0J'

/** Characters wide in a terminal: wide East Asian ones count double (Unicode TR 11, roughly). */
function width(text: string): number {
  let columns = 0
  for (const char of text) {
    if (/\p{Mark}/u.test(char)) continue
    columns +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(
        char,
      )
        ? 2
        : 1
  }
  return columns
}

/** Cut or padded to exactly so many columns. */
export function fit(text: string, columns: number): string {
  // control characters of a hostile title must not reach the terminal
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
  if (width(clean) <= columns) return clean + ' '.repeat(columns - width(clean))
  let kept = ''
  for (const char of clean) {
    if (width(kept + char) > columns - 1) break
    kept += char
  }
  return `${kept}…${' '.repeat(Math.max(0, columns - 1 - width(kept)))}`
}

/** One line for a task, never wider than the terminal (40 columns and up). */
export function barLine(row: TaskRow, columns: number): string {
  const share = `${String(Math.floor(row.progress)).padStart(3)}%`
  const speed = row.bytesPerSecond > 0 ? `${size(row.bytesPerSecond)}/s` : ''
  const left = row.remainingSeconds === null || row.bytesPerSecond === 0 ? '' : duration(row.remainingSeconds)
  const figures = `${share} ${speed.padStart(11)} ${left.padStart(6)}`
  const room = columns - figures.length - 1
  const barColumns = room >= 44 ? Math.min(40, Math.floor(room / 3)) : 0
  const nameColumns = room - (barColumns === 0 ? 1 : barColumns + 4)
  const name =
    row.state === 'RUNNING' && row.bytesPerSecond > 0 ? row.title : `${row.title} · ${happening(row)}`
  const filled = Math.round((row.progress / 100) * barColumns)
  const bar = barColumns === 0 ? '' : ` [${'#'.repeat(filled)}${'-'.repeat(barColumns - filled)}] `
  return `${fit(name, nameColumns)}${bar}${figures}`
}

export class ProgressBars {
  readonly #screen: Screen
  readonly #running = new Map<string, TaskRow>()
  readonly #ended = new Set<string>()
  #drawn = 0
  #timer: NodeJS.Timeout | null = null
  #begun = false

  constructor(screen: Screen) {
    this.#screen = screen
  }

  changed(row: TaskRow): void {
    if (row.state === 'RUNNING') this.#running.set(row.id, row)
    else this.#running.delete(row.id)
    if (isTerminal(row.state) || row.state === 'PAUSED') this.#rowEnded(row)
    this.#timer ??= setTimeout(() => this.#draw(), redrawMs)
  }

  #rowEnded(row: TaskRow): void {
    const key = `${row.id} ${row.state}`
    if (this.#ended.has(key)) return
    this.#ended.add(key)
    const total = row.state === 'COMPLETED' ? ` (${size(row.doneBytes)})` : ''
    this.#erase()
    this.#screen.write(`${fit(`${row.title}: ${happening(row)}${total}`, this.#columns()).trimEnd()}\n`)
    this.#draw()
  }

  #columns(): number {
    return Math.max(40, (this.#screen.columns ?? 80) - 1)
  }

  #erase(): void {
    if (this.#drawn > 0) this.#screen.write(`\u001b[${this.#drawn}A\r${clearBelow}`)
    this.#drawn = 0
  }

  #draw(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (!this.#begun) this.#screen.write(hideCursor)
    this.#begun = true
    const room = Math.max(1, (this.#screen.rows ?? 24) - 2)
    const shown = [...this.#running.values()].slice(0, room)
    this.#erase()
    this.#screen.write(shown.map((row) => `${barLine(row, this.#columns())}\n`).join(''))
    this.#drawn = shown.length
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#erase()
    if (this.#begun) this.#screen.write(showCursor)
  }
}
