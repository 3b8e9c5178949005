/** Completions are read off the program: what it takes is what is offered. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settingsSchema } from '../../src/shared/settings.ts'
import { sluice } from './in-process.ts'

const run = promisify(execFile)
const shells = ['bash', 'zsh', 'fish'] as const

let folder: string
const scriptOf = (shell: string): string => path.join(folder, `sluice.${shell}`)
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-completion-'))
  for (const shell of shells) writeFileSync(scriptOf(shell), (await sluice(['completion', shell])).stdout)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** What bash would offer behind these words, the last of which is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const typed = ['sluice', ...words].map((word) => `'${word}'`).join(' ')
  const asked = `compopt() { :; }; source '${scriptOf('bash')}'; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['-c', asked], { cwd: folder })
  return stdout.split('\n').filter((line) => line !== '')
}

describe('in bash', () => {
  it('commands, options, the words that an option or an argument takes, files and folders', async () => {
    expect(await offered('re')).toEqual(['resume', 'remove', 'retry', 'redownload'])
    expect(await offered('get', '--au')).toEqual(['--audio'])
    expect(await offered('list', '--state', 'c')).toEqual(['completed', 'cancelled'])
    expect(await offered('completion', '')).toEqual([...shells])
    expect(await offered('settings', '')).toEqual(Object.keys(settingsSchema.shape))
    expect(await offered('get', '-i', 'sluice.b')).toEqual(['sluice.bash'])
    expect(await offered('serve', '--data-dir', 'sluice.b')).toEqual([])
    expect(await offered('serve', '--d')).toEqual(['--data-dir', '--download-root', '--debug-api'])
    expect(await offered('get', '--limit', '')).toEqual([])
  })
})

it.each(shells)('%s can read its script, which has every option of every command', async (shell) => {
  const { stdout: help } = await sluice(['add', '--help'])
  const { stdout: script } = await sluice(['completion', shell])
  for (const [, long = ''] of help.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)) expect(script).toContain(long)
  if (existsSync(`/usr/bin/${shell}`)) await run(shell, ['-n', scriptOf(shell)])
})
