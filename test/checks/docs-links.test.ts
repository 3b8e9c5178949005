import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const project = join(import.meta.dirname, '../..')

const pages = [
  'README.md',
  ...readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

/** Targets of the links of a page that lie in this project, anchors left out. */
function linksOf(page: string): string[] {
  const text = readFileSync(join(project, page), 'utf8')
  return [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/i.test(target))
}

describe('the documentation', () => {
  it.each(pages)('%s links only to what exists', (page) => {
    const dead = linksOf(page).filter((target) => !existsSync(join(project, dirname(page), target)))
    expect(dead).toEqual([])
  })

  it('explains in the README only commands that npm knows', () => {
    const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const readme = readFileSync(join(project, 'README.md'), 'utf8')
    const named = [...readme.matchAll(/npm run ([\w-]+)/g)].map((match) => match[1] ?? '')
    expect(named).toContain('check')
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})
