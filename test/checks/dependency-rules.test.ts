/**
 * The rules of who may import what, broken on purpose: a small copy of the folders with one forbidden import per file,
 * judged by the real configuration.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const project = join(import.meta.dirname, '../..')

/** folder → folders it may import */
const allowed: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  core: ['shared'],
  worker: ['shared'],
  adapters: ['core', 'shared'],
  http: ['adapters', 'core', 'shared'],
  main: ['http', 'adapters', 'core', 'shared'],
  server: ['http', 'adapters', 'core', 'shared'],
  cli: ['adapters', 'core', 'shared'],
  preload: ['shared'],
  renderer: ['shared'],
}
const folders = Object.keys(allowed)

interface Case {
  file: string
  code: string
  /** the rule that must refuse it; null: nothing may */
  rule: string | null
}

const between: Case[] = folders.flatMap((from) =>
  [...folders, 'test']
    .filter((to) => to !== from)
    .map((to): Case => {
      const rule = `${from}-reaches-only-${allowed[from]?.join('-') || 'itself'}`
      const path = to === 'test' ? '../../test/index.ts' : `../${to}/index.ts`
      return {
        file: `src/${from}/to-${to}.ts`,
        code: `import type { Thing } from '${path}'\nexport type Own = Thing\n`,
        rule: allowed[from]?.includes(to) === true ? null : rule,
      }
    }),
)

const imports = (specifier: string) => `import * as thing from '${specifier}'\nexport { thing }\n`

const packages: Case[] = [
  { file: 'src/shared/validator.ts', code: imports('zod'), rule: null },
  { file: 'src/shared/zod.ts', code: imports('zod'), rule: 'zod-through-the-set-up-validator' },
  { file: 'src/shared/node.ts', code: imports('node:fs'), rule: 'shared-imports-zod-only' },
  { file: 'src/shared/package.ts', code: imports('commander'), rule: 'shared-imports-zod-only' },
  { file: 'src/core/node.ts', code: imports('node:path'), rule: 'core-imports-no-package-and-no-node' },
  { file: 'src/core/package.ts', code: imports('zod'), rule: 'core-imports-no-package-and-no-node' },
  { file: 'src/worker/electron.ts', code: imports('electron'), rule: 'electron-only-in-main-and-preload' },
  { file: 'src/cli/electron.ts', code: imports('electron'), rule: 'electron-only-in-main-and-preload' },
  { file: 'src/http/electron.ts', code: imports('electron'), rule: 'electron-only-in-main-and-preload' },
  { file: 'src/server/electron.ts', code: imports('electron'), rule: 'electron-only-in-main-and-preload' },
  { file: 'src/main/electron.ts', code: imports('electron'), rule: null },
  { file: 'src/preload/electron.ts', code: imports('electron'), rule: null },
  { file: 'src/main/react.ts', code: imports('react'), rule: 'react-only-in-renderer' },
  { file: 'src/worker/sqlite.ts', code: imports('better-sqlite3'), rule: 'sqlite-only-in-adapters' },
  { file: 'src/adapters/sqlite.ts', code: imports('better-sqlite3'), rule: null },
  { file: 'src/renderer/node.ts', code: imports('node:fs'), rule: 'no-node-in-the-renderer' },
  { file: 'src/cli/missing.ts', code: imports('no-such-package'), rule: 'resolvable' },
  { file: 'src/core/rules.test.ts', code: imports('../adapters/index.ts'), rule: null },
]

const cases = [...between, ...packages]

const circle = [
  { file: 'src/core/circle-there.ts', code: imports('./circle-back.ts') },
  { file: 'src/core/circle-back.ts', code: imports('./circle-there.ts') },
]

interface Report {
  summary: { violations: { from: string; rule: { name: string } }[] }
}

let copy: string
let violations: Report['summary']['violations']

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'sluice-rules-'))
  for (const name of ['tsconfig.json', 'tsconfig.base.json', '.dependency-cruiser.mjs', 'package.json']) {
    await cp(join(project, name), join(copy, name))
  }
  for (const name of ['zod', 'commander', 'electron', 'react', 'better-sqlite3']) {
    await mkdir(join(copy, 'node_modules', name), { recursive: true })
    await writeFile(
      join(copy, 'node_modules', name, 'package.json'),
      JSON.stringify({ name, main: 'index.js' }),
    )
    await writeFile(join(copy, 'node_modules', name, 'index.js'), '')
  }
  const indexes = [...folders.map((folder) => `src/${folder}/index.ts`), 'test/index.ts']
  const files = [
    ...cases,
    ...circle,
    ...indexes.map((file) => ({ file, code: 'export interface Thing { it: 1 }\n' })),
  ]
  for (const { file, code } of files) {
    await mkdir(dirname(join(copy, file)), { recursive: true })
    await writeFile(join(copy, file), code)
  }
  const cruiser = join(project, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const args = [cruiser, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'src']
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: copy,
    maxBuffer: 64 * 1024 * 1024,
  })
  violations = (JSON.parse(stdout) as Report).summary.violations
})
afterAll(() => rm(copy, { recursive: true, force: true }))

describe('the dependency rules', () => {
  it.each(cases.filter(({ rule }) => rule !== null))('refuse $file by $rule', ({ file, rule }) => {
    expect(violations.filter(({ from }) => from === file).map((violation) => violation.rule.name)).toContain(
      rule,
    )
  })

  it.each(cases.filter(({ rule }) => rule === null))('let $file be', ({ file }) => {
    expect(violations.filter(({ from }) => from === file)).toEqual([])
  })

  it('refuse a circle', () => {
    const round = violations.filter(({ from }) => from.startsWith('src/core/circle-'))
    expect(round.map((violation) => violation.rule.name)).toContain('no-circles')
  })
})
