/** How a `get` is watched: bars on a terminal, plain lines in a log, JSON lines for programs, or nothing. */
import type { TaskRow } from '../shared/view.ts'
import { ProgressBars } from './progress-bars.ts'
import type { Screen } from './progress-bars.ts'
import { happening, size } from './words.ts'

export interface Reporter {
  /** Called whenever something about a task changed. */
  changed(row: TaskRow): void
  /** Leaves the screen as it should stay. */
  end(): void
}

/** One line when the state of a task changes; progress at every tenth. */
class Lines implements Reporter {
  readonly #screen: Screen
  readonly #said = new Map<string, string>()

  constructor(screen: Screen) {
    this.#screen = screen
  }

  changed(row: TaskRow): void {
    const tenth = row.state === 'RUNNING' && row.size !== null ? Math.floor(row.progress / 10) : 0
    const said = `${row.state} ${tenth}`
    if (row.state === 'WAITING' || this.#said.get(row.id) === said) return
    this.#said.set(row.id, said)
    const share = tenth > 0 ? `, ${tenth * 10}% of ${size(row.size ?? 0)}` : ''
    const total = row.state === 'COMPLETED' ? ` (${size(row.doneBytes)})` : ''
    this.#screen.write(`${row.title}: ${happening(row)}${share}${total}\n`)
  }

  end(): void {
    // every line is whole already
  }
}

/** The row itself, one JSON object per line, at most five a second for each task. */
class JsonLines implements Reporter {
  readonly #screen: Screen

  constructor(screen: Screen) {
    this.#screen = screen
  }

  changed(row: TaskRow): void {
    this.#screen.write(`${JSON.stringify(row)}\n`)
  }

  end(): void {
    // every line is whole already
  }
}

const silent: Reporter = { changed: () => null, end: () => null }

export function createReporter(kind: 'bars' | 'lines' | 'json' | 'quiet', screen: Screen): Reporter {
  switch (kind) {
    case 'bars':
      return new ProgressBars(screen)
    case 'lines':
      return new Lines(screen)
    case 'json':
      return new JsonLines(screen)
    case 'quiet':
      return silent
  }
}
