/** Every case of the list is proved by a test that can be found by it, or has a reason why it is not. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cases, notRun, provedBy } from './case-list.ts'

const project = join(import.meta.dirname, '../..')

/** Case numbers that begin titles: `'C052 F06 retries …'`, ``[`F10 …`]``. */
function namedInTitles(): Set<string> {
  const files = globSync(['{src,test}/**/*.test.ts', 'e2e/**/*.spec.ts'], { cwd: project })
  const titles = files.flatMap((file) => [
    ...readFileSync(join(project, file), 'utf8').matchAll(
      /['"`]((?:(?:[BCF]\d{2,3}|\d{1,2})[ :,]+)*[BCF]\d{2,3})\b/g,
    ),
  ])
  return new Set(titles.flatMap(([, ids = '']) => ids.match(/[BCF]\d{2,3}/g) ?? []))
}

it('every listed case is a test by its number, is proved elsewhere, or has a reason', () => {
  const named = namedInTitles()
  const missing = cases.filter(
    (id) => !named.has(id) && provedBy[id] === undefined && notRun[id] === undefined,
  )
  expect(missing).toEqual([])
  expect(Object.keys(notRun).filter((id) => named.has(id) || provedBy[id] !== undefined)).toEqual([])
})

it.each(Object.entries(provedBy))('%s is proved by a test that exists', (id, [file, title]) => {
  expect(cases).toContain(id)
  expect(readFileSync(join(project, file), 'utf8')).toContain(title)
})
