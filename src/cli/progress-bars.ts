/**
 * Progress bars for several tasks at once. What is at work is drawn in place; what has ended scrolls away above, one
 * line each, so that the terminal's history tells the whole story.
 */
import type { TaskRow } from '../shared/view.ts'
import type { Look } from './bar-line.ts'
import { barLine, endLine } from './bar-line.ts'
import type { Reporter, Screen } from './reporter.ts'
import { comesBack } from './words.ts'

const redrawMs = 200
const hideCursor = '\u001b[?25l'
const showCursor = '\u001b[?25h'
const clearLine = '\u001b[K'
const clearBelow = '\u001b[J'

/** The widest a line gets: beyond it the eye loses the way from the name to the figures. */
const widest = 120

export class ProgressBars implements Reporter {
  readonly #screen: Screen
  readonly #look: Look
  readonly #shown = new Map<string, TaskRow>()
  /** the state in which the end of a task was told */
  readonly #told = new Map<string, string>()
  #endLines: string[] = []
  #drawnLines = 0
  #timer: NodeJS.Timeout | null = null
  #isCursorHidden = false
  readonly #restoreCursor = () => {
    if (this.#isCursorHidden) this.#screen.write(showCursor)
    this.#isCursorHidden = false
  }

  constructor(screen: Screen, look: Look) {
    this.#screen = screen
    this.#look = look
    // a second Ctrl+C ends the process from wherever it is
    process.once('exit', this.#restoreCursor)
  }

  changed(row: TaskRow): void {
    if (row.state === 'WAITING') {
      this.#shown.delete(row.id)
      this.#told.delete(row.id)
    } else if (row.state === 'RUNNING' || comesBack(row)) {
      this.#shown.set(row.id, row)
      this.#told.delete(row.id)
    } else {
      this.#shown.delete(row.id)
      if (this.#told.get(row.id) !== row.state) this.#endLines.push(endLine(row, this.#columns(), this.#look))
      this.#told.set(row.id, row.state)
    }
    this.#timer ??= setTimeout(() => this.#draw(), redrawMs)
  }

  end(): void {
    this.#shown.clear()
    this.#draw()
    this.#restoreCursor()
    process.off('exit', this.#restoreCursor)
  }

  /** One column stays free: a line that fills the last one makes some terminals wrap. */
  #columns(): number {
    return Math.min(widest, Math.max(40, this.#screen.columns ?? 80) - 1)
  }

  #draw(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const room = Math.max(1, (this.#screen.rows ?? 24) - 2)
    const bars = [...this.#shown.values()]
      .slice(0, room)
      .map((row) => barLine(row, this.#columns(), this.#look))
    const lines = [...this.#endLines, ...bars].map((line) => `${line}${clearLine}\n`)
    const up = this.#drawnLines > 0 ? `\u001b[${this.#drawnLines}A` : ''
    if (!this.#isCursorHidden && bars.length > 0) this.#screen.write(hideCursor)
    this.#isCursorHidden ||= bars.length > 0
    // one write: a half-drawn screen is never seen
    if (lines.length > 0 || up !== '') this.#screen.write(`${up}\r${lines.join('')}${clearBelow}`)
    this.#endLines = []
    this.#drawnLines = bars.length
  }
}
