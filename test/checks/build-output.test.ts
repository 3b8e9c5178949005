import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importSpecifiers, packageOf } from './import-specifiers.ts'

const built = join(import.meta.dirname, '../../out')

/** Packages that a built program can load, through all its chunks. */
function packagesReachableFrom(program: string): Set<string> {
  const start = join(built, program)
  if (!existsSync(start)) throw new Error('The app is not built: run `npm run build` first.')
  const packages = new Set<string>()
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const specifier of importSpecifiers(readFileSync(file, 'utf8'))) {
      const name = packageOf(specifier)
      if (name !== null) packages.add(name)
      else if (specifier.startsWith('.') && existsSync(join(dirname(file), specifier))) {
        visit(join(dirname(file), specifier))
      }
    }
  }
  visit(start)
  return packages
}

describe('the built programs', () => {
  it.each(['main/cli.js', 'main/server.js', 'main/worker.js', 'main/store-thread.js'])(
    '%s reaches no chunk that imports electron',
    (program) => {
      expect([...packagesReachableFrom(program)]).not.toContain('electron')
    },
  )

  it('main/index.js does import electron: this test would see it', () => {
    expect([...packagesReachableFrom('main/index.js')]).toContain('electron')
  })

  it('preload/index.cjs carries no validator and nothing but electron from outside', () => {
    expect([...packagesReachableFrom('preload/index.cjs')]).toEqual(['electron'])
    expect(readFileSync(join(built, 'preload/index.cjs'), 'utf8')).not.toContain('ZodError')
  })
})
