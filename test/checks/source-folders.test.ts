import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = join(import.meta.dirname, '../../src')
const folders = readdirSync(source)

describe('each folder of src', () => {
  it.each(folders)('%s says in at most 15 lines what it owns and may import', (folder) => {
    const lines = readFileSync(join(source, folder, 'README.md'), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.length).toBeLessThanOrEqual(15)
    expect(lines.join('\n')).toMatch(/imports? /i)
  })

  it.each(folders)('%s is a TypeScript project of its own', (folder) => {
    expect(readFileSync(join(source, folder, 'tsconfig.json'), 'utf8')).toContain('tsconfig.base.json')
  })
})
