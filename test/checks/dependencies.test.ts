import { readFileSync, readdirSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import { importSpecifiers, packageOf } from './import-specifiers.ts'

const project = join(import.meta.dirname, '../..')

/** Every package that code of the product imports at run time. */
function shippedPackages(): string[] {
  const shipped = new Set<string>()
  for (const entry of readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(entry) || /\.test\.tsx?$/.test(entry)) continue
    // types are gone at run time
    const code = readFileSync(join(project, 'src', entry), 'utf8').replaceAll(
      /^import type [^]*? from .*$/gm,
      '',
    )
    for (const specifier of importSpecifiers(code)) {
      const name = packageOf(specifier)
      if (name !== null && name !== 'electron' && !builtinModules.includes(name)) shipped.add(name)
    }
  }
  return [...shipped].toSorted()
}

describe('what ships', () => {
  const shipped = shippedPackages()

  it('is at most 25 libraries', () => {
    expect(shipped).toContain('zod')
    expect(shipped.length).toBeLessThanOrEqual(25)
    expect(Object.keys(packageFile.dependencies).length).toBeLessThanOrEqual(25)
  })

  it('is explained library by library in docs/dependencies.md', () => {
    const page = readFileSync(join(project, 'docs/dependencies.md'), 'utf8')
    const explained = page.split('\n').filter((line) => line.startsWith('| `'))
    const names = explained
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
      .map((m) => m[1])
    expect(names.toSorted()).toEqual(shipped)
  })

  it('is pinned to exact versions', () => {
    const versions = Object.values({ ...packageFile.dependencies, ...packageFile.devDependencies })
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })
})
