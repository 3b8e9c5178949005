import { CommanderError } from 'commander'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readServeOptions, unknownVariables } from './options.ts'

beforeEach(() => {
  // what commander says of wrong options is for people, not for this report
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
})
afterEach(() => vi.restoreAllMocks())

test('what is usual: loopback, port 8786, the secret of the data folder', () => {
  expect(readServeOptions([], {})).toMatchObject({ host: '127.0.0.1', port: 8786, open: false, secret: null })
})

test('options win over the environment, the environment over what is usual', () => {
  const environment = { SLUICE_DATA_DIR: '/data/by-environment', SLUICE_SECRET: 's' }
  expect(readServeOptions([], environment)).toMatchObject({ dataFolder: '/data/by-environment', secret: 's' })
  expect(readServeOptions(['--data-dir', '/data/by-option'], environment).dataFolder).toBe('/data/by-option')
})

test('download roots are repeatable, absolute, and keep their order', () => {
  const { downloadRoots } = readServeOptions(['--download-root', '/b', '--download-root', 'relative'], {})
  expect(downloadRoots[0]).toBe('/b')
  expect(downloadRoots[1]).toBe(`${process.cwd()}/relative`)
})

test.each([['--port', 'x'], ['--port', '65536'], ['--port', '-1'], ['--port'], ['--nonsense'], ['stray']])(
  'bad usage is refused: %s %s',
  (...argv) => {
    expect(() => readServeOptions(argv, {})).toThrow(CommanderError)
  },
)

test.each(['0.0.0.0', '::', '192.168.1.5'])(
  '%s needs a secret of the user, and one that cannot be guessed',
  (host) => {
    expect(() => readServeOptions(['--host', host], {})).toThrow(/needs a secret/)
    expect(() => readServeOptions(['--host', host], { SLUICE_SECRET: 'fifteen-letters' })).toThrow(
      /too short/,
    )
    expect(readServeOptions(['--host', host], { SLUICE_SECRET: 'sixteen-letters.' }).host).toBe(host)
  },
)

test.each(['', ' ', 'two words', 'schlüssel', 'a\nb'])('%j cannot be a secret', (secret) => {
  expect(() => readServeOptions([], { SLUICE_SECRET: secret })).toThrow(/cannot be sent/)
})

test('variables that only look like ours are named, those of others are not', () => {
  const environment = {
    SLUICE_TOKEN: 'x',
    SLUICE_DATA_DIR: '/d',
    SLUICE_SECRET: 's',
    MY_SLUICE_X: '1',
    SLUICE_PORT: '1',
  }
  expect(unknownVariables(environment)).toEqual(['SLUICE_PORT', 'SLUICE_TOKEN'])
})
