/** Each folder is compiled with only the libraries it may use: what is not there cannot be reached for by accident. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const project = join(import.meta.dirname, '../..')
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-libraries-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What the compiler says of this code in a folder of `src`. */
async function complaints(name: string, code: string): Promise<string[]> {
  const config = join(project, 'src', name, 'tsconfig.json')
  const read = ts.readConfigFile(config, (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, dirname(config), {}, config)
  const file = join(folder, `${name}.ts`)
  await writeFile(file, code)
  const program = ts.createProgram([file], options)
  return ts
    .getPreEmitDiagnostics(program)
    .map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'))
}

describe('the domain', () => {
  it.each(['shared', 'core'])('%s has neither a process nor a document', async (name) => {
    const code = 'export const both = [process.pid, document.title]\n'
    expect(await complaints(name, code)).toEqual([
      expect.stringContaining("'process'"),
      expect.stringContaining("'document'"),
    ])
  })
})

describe('programs without a window', () => {
  it.each(['worker', 'adapters', 'http', 'server', 'cli', 'main'])(
    '%s has a process but no document',
    async (name) => {
      expect(await complaints(name, 'export const pid = process.pid\n')).toEqual([])
      expect(await complaints(name, 'export const title = document.title\n')).toEqual([
        expect.stringContaining("'document'"),
      ])
    },
  )
})

describe('the window', () => {
  it('has a document but no process', async () => {
    expect(await complaints('renderer', 'export const title = document.title\n')).toEqual([])
    expect(await complaints('renderer', 'export const pid = process.pid\n')).toEqual([
      expect.stringContaining("'process'"),
    ])
  })
})
