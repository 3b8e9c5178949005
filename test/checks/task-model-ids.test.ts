/** Every invariant of the task model, and every fault it grew from, is named by a test. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { invariants } from '../model/invariants.ts'

const project = join(import.meta.dirname, '../..')

function namesIn(folder: string): string[] {
  return readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => file.endsWith('.test.ts') || file.endsWith('.contract.ts') || file.endsWith('-cases.ts'),
    )
    .filter((file) => !file.endsWith('task-model-ids.test.ts'))
    .map((file) => readFileSync(join(project, folder, file), 'utf8'))
    .flatMap((text) => text.match(/(['"`]).*?\1/g) ?? [])
}

const ownNames = ['test/core', 'test/processes', 'src/core', 'src/shared/task'].flatMap(namesIn)
const names = [...namesIn('test'), ...ownNames]
const isNamed = (id: string, among = names) =>
  among.some((name) => new RegExp(`(^|[^\\w.])${id}\\b`).test(name))
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const missing = (ids: readonly string[], among = names) => ids.filter((id) => !isNamed(id, among))

describe('named by tests', () => {
  test('is each of the 28 invariants, in random lives or by itself', () => {
    expect(upTo(28).filter((number) => !invariants.has(number) && !isNamed(`invariant ${number}`))).toEqual(
      [],
    )
  })

  test('are B1–B18 and U1–U10 of the systems before this one', () => {
    // other lists of faults count from B1 as well: here only the task system's own tests are asked
    const ids = [...upTo(18).map((number) => `B${number}`), ...upTo(10).map((number) => `U${number}`)]
    expect(missing(ids, ownNames)).toEqual([])
  })

  test('are the twelve invariants of supervised workers', () => {
    expect(missing(upTo(12).map((number) => `3\\.3\\.${number}`))).toEqual([])
  })

  test('are the faults of queues and states', () => {
    const faults = ['072', '074', '075', '078', '079', '081', '082', '083', '084', '085']
    expect(missing(faults.map((number) => `C${number}`))).toEqual([])
  })
})
