/** How a `get` is watched: bars on a terminal, plain lines in a log, JSON lines for programs, or nothing. */
import type { TaskRow } from '../shared/view.ts'
import type { Look } from './bar-line.ts'
import { ProgressBars } from './progress-bars.ts'
import type { Reporter, Screen } from './reporter.ts'
import { plainText } from './terminal-text.ts'
import { happening, size } from './words.ts'

export type ReporterKind = 'bars' | 'lines' | 'json' | 'quiet'

/** One line when the state of a task changes, and one at every tenth of its way. */
class Lines implements Reporter {
  readonly #screen: Screen
  readonly #said = new Map<string, string>()

  constructor(screen: Screen) {
    this.#screen = screen
  }

  changed(row: TaskRow): void {
    const tenth = row.state === 'RUNNING' && row.size !== null ? Math.floor(row.progress / 10) : 0
    const share = tenth > 0 ? `, ${tenth * 10}% of ${size(row.size ?? 0)}` : ''
    const total = row.state === 'COMPLETED' ? ` (${size(row.doneBytes)})` : ''
    const said = `${happening(row)}${share}${total}`
    if (row.state === 'WAITING' || this.#said.get(row.id) === said) return
    this.#said.set(row.id, said)
    this.#screen.write(`${plainText(row.title)}: ${said}\n`)
  }

  end(): void {
    // every line is whole already
  }
}

/** `{"type":"task","task":{…}}` for every change of a row, at most five a second for each task. */
class JsonLines implements Reporter {
  readonly #screen: Screen

  constructor(screen: Screen) {
    this.#screen = screen
  }

  changed(task: TaskRow): void {
    this.#screen.write(`${JSON.stringify({ type: 'task', task })}\n`)
  }

  end(): void {
    // every line is whole already
  }
}

const silent: Reporter = { changed: () => null, end: () => null }

/** What the terminal behind these variables can show (https://no-color.org). */
export function lookFor(environment: NodeJS.ProcessEnv): Look {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || ''
  return {
    color: (environment['NO_COLOR'] ?? '') === '',
    unicode: process.platform !== 'linux' || /utf-?8/i.test(locale),
  }
}

export function createReporter(kind: ReporterKind, screen: Screen): Reporter {
  switch (kind) {
    case 'bars':
      return new ProgressBars(screen, lookFor(process.env))
    case 'lines':
      return new Lines(screen)
    case 'json':
      return new JsonLines(screen)
    case 'quiet':
      return silent
  }
}
