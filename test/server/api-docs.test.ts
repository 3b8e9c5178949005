/** docs/api.md is true: its examples run in their order, answer what it says, and it leaves nothing out. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { httpStatusOf } from '../../src/shared/contract/error-envelope.ts'
import { errorCodes, requestErrorCodes } from '../../src/shared/errors.ts'
import { settingsSchema } from '../../src/shared/settings.ts'
import { launcher } from '../built-program.ts'
import { FaultServer } from '../fault-server/fault-server.ts'
import { routes } from './rest-client.ts'
import { TestServer } from './running-server.ts'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '../..')
const page = await readFile(path.join(root, 'docs/api.md'), 'utf8')

interface Example {
  commands: string
  /** what the last command answers, as the page shows it; null: it shows nothing */
  answer: string | null
}

const examples: Example[] = [...page.matchAll(/```sh\n(.*?)```\n(?:\n```json\n(.*?)```)?/gs)].map(
  ([, commands = '', answer]) => ({ commands, answer: answer ?? null }),
)

/** Every key that the page shows is in the answer, at its place. */
function expectShape(shown: unknown, answered: unknown): void {
  if (Array.isArray(shown)) expectShape(shown[0], (answered as unknown[])[0])
  else if (typeof shown === 'object' && shown !== null) {
    expect(Object.keys(answered as object)).toEqual(expect.arrayContaining(Object.keys(shown)))
    for (const [key, value] of Object.entries(shown))
      expectShape(value, (answered as Record<string, unknown>)[key])
  } else if (shown !== undefined) expect(typeof answered).toBe(typeof shown)
}

test('its examples run one after the other and answer what it shows', async () => {
  await using source = await FaultServer.start()
  source.serve('/image.iso', { length: 200_000, seed: 1, etag: '"a"' })
  // slow: it has to be live when the example cancels it
  source.serve('/backup.tar', { length: 200_000, seed: 2, etag: '"b"', bytesPerSecond: 20_000 })
  const server = await TestServer.start()
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-examples-'))
  try {
    // under the name it is installed by
    await mkdir(path.join(folder, 'bin'))
    const program = `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`
    await writeFile(path.join(folder, 'bin/sluice'), program, { mode: 0o755 })
    const here = (text: string): string =>
      text
        .replaceAll('http://127.0.0.1:8786', `http://127.0.0.1:${server.port}`)
        .replaceAll('https://example.org/', source.url('/'))
    // one shell for all of them: they build on each other's variables
    const script = examples
      .map(({ commands }, index) => `exec > output-${index}\n${here(commands)}`)
      .join('\n')
    const shell = ['-euo', 'pipefail', '-c', script]
    const env = {
      PATH: `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      SLUICE_DATA_DIR: path.join(server.base, 'data'),
    }
    await run('bash', shell, { cwd: folder, env, timeout: 50_000 })
    for (const [index, { answer }] of examples.entries()) {
      if (answer === null) continue
      const output = await readFile(path.join(folder, `output-${index}`), 'utf8')
      const last = output.trimEnd().split('\n').at(-1) ?? ''
      expectShape(JSON.parse(answer), JSON.parse(last))
    }
  } finally {
    await server.end()
    await rm(folder, { recursive: true })
  }
})

test('it has every route, every error with its status, every setting', () => {
  for (const { method, path: pattern } of routes) expect(page).toContain(`\`${method} ${pattern}\``)
  for (const code of errorCodes) expect(page).toContain(`\`${code}\``)
  for (const code of requestErrorCodes) {
    expect(page).toMatch(new RegExp(`\\| ${httpStatusOf(code)} +\\| \`${code}\``))
  }
  for (const key of Object.keys(settingsSchema.shape)) expect(page).toContain(`\`${key}\``)
})
