import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ProgressBars } from './progress-bars.ts'
import { sampleRow } from '../../test/cli/sample-row.ts'

/** A terminal as far as the bars use one: lines, the cursor going up, clearing. */
class FakeTerminal {
  columns = 60
  rows = 10
  isCursorShown = true
  lines: string[] = ['']
  #at = 0

  write(text: string): void {
    for (const [piece] of text.matchAll(/\u001b\[[?\d]*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g)) this.#take(piece)
  }

  #take(piece: string): void {
    const up = /^\u001b\[(\d+)A$/.exec(piece)?.[1]
    if (up !== undefined) this.#at -= Number(up)
    else if (piece === '\u001b[?25l') this.isCursorShown = false
    else if (piece === '\u001b[?25h') this.isCursorShown = true
    else if (piece === '\u001b[J') this.lines.splice(this.#at, Infinity, '')
    else if (piece === '\n') this.lines[++this.#at] ??= ''
    else if (piece !== '\r' && piece !== '\u001b[K') this.lines[this.#at] = piece
  }

  get shown(): string[] {
    return this.lines.map((line) => line.trim()).filter((line) => line !== '')
  }
}

let terminal: FakeTerminal
let bars: ProgressBars

beforeEach(() => {
  vi.useFakeTimers()
  terminal = new FakeTerminal()
  bars = new ProgressBars(terminal, { color: false, unicode: false })
})
afterEach(() => {
  bars.end()
  vi.useRealTimers()
})

const names = () => terminal.shown.map((line) => line.split('  ')[0])

describe('progress bars', () => {
  it('draw a line for each task at work, in place', () => {
    for (const progress of [10, 20]) {
      bars.changed(sampleRow({ id: 'a', title: 'a.bin', progress, bytesPerSecond: 1000 }))
      bars.changed(sampleRow({ id: 'b', title: 'b.bin', progress, bytesPerSecond: 1000 }))
      vi.advanceTimersByTime(200)
    }
    expect(names()).toEqual(['a.bin', 'b.bin'])
    expect(terminal.shown[0]).toContain('20%')
  })

  it('leave the ended ones above, once each', () => {
    bars.changed(sampleRow({ id: 'a', title: 'a.bin' }))
    bars.changed(sampleRow({ id: 'b', title: 'b.bin', bytesPerSecond: 1 }))
    vi.advanceTimersByTime(200)
    for (let times = 0; times < 3; times++) {
      bars.changed(sampleRow({ id: 'a', title: 'a.bin', state: 'COMPLETED' }))
      vi.advanceTimersByTime(200)
    }
    expect(names()).toEqual(['ok a.bin', 'b.bin'])
    bars.end()
    expect(names()).toEqual(['ok a.bin'])
  })

  it('never take more lines than the terminal has', () => {
    for (let number = 0; number < 30; number++)
      bars.changed(sampleRow({ id: `t${number}`, title: `t${number}` }))
    vi.advanceTimersByTime(200)
    expect(terminal.shown).toHaveLength(8)
  })

  it('keep showing a task that comes back when the host said so', () => {
    const error = { code: 'HTTP_ERROR' as const, message: 'Busy', hint: 'Wait.' }
    const pause = {
      kind: 'network' as const,
      at: 0,
      resumeAt: 1,
      resumeTo: 'head' as const,
      failures: 1,
      error,
    }
    bars.changed(sampleRow({ title: 'a.bin', state: 'PAUSED', pause }))
    vi.advanceTimersByTime(200)
    expect(terminal.shown[0]).toContain('a.bin · waiting for the host')
  })

  it('hide the cursor while they draw, and give it back at the end, whatever the end', () => {
    bars.changed(sampleRow({ title: 'a.bin' }))
    vi.advanceTimersByTime(200)
    expect(terminal.isCursorShown).toBe(false)
    bars.end()
    expect(terminal.isCursorShown).toBe(true)

    const cut = new ProgressBars(terminal, { color: false, unicode: false })
    cut.changed(sampleRow({ title: 'a.bin' }))
    vi.advanceTimersByTime(200)
    // what `process.exit` calls
    for (const listener of process.listeners('exit').slice(-1)) listener.call(process, 130)
    expect(terminal.isCursorShown).toBe(true)
    cut.end()
  })
})
