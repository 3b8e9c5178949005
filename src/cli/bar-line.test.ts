import fc from 'fast-check'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { barLine, endLine } from './bar-line.ts'
import { sampleRow } from '../../test/cli/sample-row.ts'
import { columnsOf } from './terminal-text.ts'

const plain = { color: false, unicode: false }

describe('a bar line', () => {
  it('shows name, bar, share, speed and time left', () => {
    const row = sampleRow({
      title: 'image.iso',
      progress: 50,
      bytesPerSecond: 2_500_000,
      remainingSeconds: 80,
    })
    const bar = '#'.repeat(12) + '-'.repeat(12)
    expect(barLine(row, 80, plain)).toBe(`${'image.iso'.padEnd(29)} ${bar}     50%   2.5 MB/s  1m20s`)
  })

  it('says what happens in place of the bar while nothing flows', () => {
    const row = sampleRow({ title: 'talk.mp4', active: [{ kind: 'mux', label: '', activity: 'muxing' }] })
    expect(barLine(row, 60, plain)).toMatch(/^talk\.mp4 · joining video and audio +0%/)
  })

  it('shows what arrived when the length is unknown', () => {
    const row = sampleRow({ size: null, doneBytes: 3_000_000, bytesPerSecond: 1000 })
    expect(barLine(row, 80, plain)).toContain('3.0 MB   1.0 kB/s')
  })

  it('gives up its bar before its name on a narrow terminal', () => {
    const row = sampleRow({ title: 'a-rather-long-name.tar.gz', progress: 7, bytesPerSecond: 1000 })
    const line = barLine(row, 40, plain)
    expect(line).not.toContain('#')
    expect(line).toMatch(/^a-rather-long…/)
  })

  it('is exactly as wide as it may be, with and without colour', () => {
    const rows = fc.record({
      title: fc.string({ unit: 'binary' }),
      progress: fc.double({ min: 0, max: 100, noNaN: true }),
      size: fc.option(fc.nat()),
      doneBytes: fc.nat(),
      bytesPerSecond: fc.oneof(fc.constant(0), fc.double({ min: 1, max: 1e11, noNaN: true })),
      remainingSeconds: fc.option(fc.double({ min: 0, max: 1e9, noNaN: true })),
    })
    fc.assert(
      fc.property(rows, fc.integer({ min: 40, max: 200 }), fc.boolean(), (facts, columns, fancy) => {
        const line = barLine(sampleRow(facts), columns, { color: fancy, unicode: fancy })
        expect(columnsOf(stripVTControlCharacters(line))).toBe(columns)
      }),
    )
  })
})

describe('an end line', () => {
  it('tells what became of the task', () => {
    const done = sampleRow({ title: 'a.bin', state: 'COMPLETED', doneBytes: 1000 })
    expect(endLine(done, 40, plain)).toBe('ok a.bin  1.0 kB')
    expect(endLine(sampleRow({ title: 'b.bin', state: 'FAILED' }), 40, plain)).toBe('!! b.bin  failed')
  })

  it('has colour only where it is wanted', () => {
    const done = sampleRow({ title: 'a.bin', state: 'COMPLETED', doneBytes: 1000 })
    expect(endLine(done, 40, { color: true, unicode: true })).toBe('\u001b[32m✓\u001b[0m a.bin  1.0 kB')
    expect(endLine(done, 40, { color: false, unicode: true })).toBe('✓ a.bin  1.0 kB')
  })
})
