import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtProgram } from '../built-program.ts'
import { importSpecifiers, packageOf } from './import-specifiers.ts'

/** Packages and chunks that a built program can load. */
function reachableFrom(program: string): { packages: Set<string>; chunks: Set<string> } {
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
  visit(builtProgram(program))
  return { packages, chunks: seen }
}

const packagesReachableFrom = (program: string) => reachableFrom(program).packages

/** Whether the validator (which is bundled) is in anything that the program can load. */
function carriesValidator(program: string): boolean {
  return [...reachableFrom(program).chunks].some((file) => readFileSync(file, 'utf8').includes('ZodError'))
}

describe('the built programs', () => {
  it.each([
    'main/cli.cjs',
    'main/server.cjs',
    'main/worker.cjs',
    'main/hash-thread.cjs',
    'main/store-thread.cjs',
  ])('%s reaches no chunk that imports electron', (program) => {
    expect([...packagesReachableFrom(program)]).not.toContain('electron')
  })

  // what reads them for a download takes each byte for a letter (src/cli/compiled-code.ts)
  it.each(['main/start.cjs', 'main/start-worker.cjs', 'main/cli.cjs', 'main/worker.cjs'])(
    '%s and all that it loads are written in ASCII',
    (program) => {
      const others = [...reachableFrom(program).chunks].filter((file) =>
        readFileSync(file).some((byte) => byte > 0x7f),
      )
      expect(others).toEqual([])
    },
  )

  // run from their kept form they could not, or Node would warn of it to whoever looks at the output
  it.each(['main/start.cjs', 'main/start-worker.cjs', 'main/cli.cjs', 'main/worker.cjs'])(
    '%s and all that it loads are loaded by `require`, also what comes late',
    (program) => {
      const others = [...reachableFrom(program).chunks].filter((file) =>
        /(?<![\w.])import\(/.test(readFileSync(file, 'utf8')),
      )
      expect(others).toEqual([])
    },
  )

  it('main/index.cjs does import electron: this test would see it', () => {
    expect([...packagesReachableFrom('main/index.cjs')]).toContain('electron')
  })

  it('preload/index.cjs carries no validator and nothing but electron from outside', () => {
    expect([...packagesReachableFrom('preload/index.cjs')]).toEqual(['electron'])
    expect(carriesValidator('preload/index.cjs')).toBe(false)
  })

  it('main/worker.cjs carries no validator, which would be a third of its start', () => {
    expect(carriesValidator('main/worker.cjs')).toBe(false)
    expect(carriesValidator('main/cli.cjs')).toBe(true)
  })
})
