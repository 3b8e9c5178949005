// The programs that tests need beside Node: a browser for the window, FFmpeg as a second opinion on media,
// what the examples of the documentation are written with.
import { existsSync } from 'node:fs'
import { isInstalled, run } from './run.js'

const programs = [
  { name: 'a browser', packages: ['chromium'], isThere: () => browserPath() !== undefined },
  {
    name: 'FFmpeg',
    packages: ['ffmpeg'],
    isThere: () => isInstalled('ffmpeg', ['-version']) && isInstalled('ffprobe', ['-version']),
  },
  {
    name: 'curl and jq',
    packages: ['curl', 'jq'],
    isThere: () => isInstalled('curl', ['--version']) && isInstalled('jq', ['--version']),
  },
  { name: 'OpenSSL', packages: ['openssl'], isThere: () => isInstalled('openssl', ['version']) },
  {
    name: 'strace',
    packages: ['strace'],
    isThere: () => process.platform !== 'linux' || isInstalled('strace', ['-V']),
  },
]

/** The Chromium to test in: named by the environment, or where systems put it. */
export function browserPath() {
  const places = [
    process.env.SLUICE_TEST_BROWSER,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  ]
  return places.find((place) => place !== undefined && existsSync(place))
}

/** Installs what is missing where that is possible (Debian, root), and says what to do where it is not. */
export async function ensureTestPrograms() {
  const missing = programs.filter((program) => !program.isThere())
  if (missing.length === 0) return
  const names = missing.map((program) => program.name).join(', ')
  const packages = missing.flatMap((program) => program.packages)
  if (process.getuid?.() === 0 && isInstalled('apt-get')) {
    process.stdout.write(`installing ${names} …\n`)
    await run('apt-get', ['update', '-qq'])
    const { output } = await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages])
    if (missing.every((program) => program.isThere())) return
    process.stdout.write(`${output}\n`)
  }
  process.stdout.write(
    `The tests need ${names}. Install it (on Debian: apt-get install ${packages.join(' ')}), or for a browser name ` +
      'one in SLUICE_TEST_BROWSER, and run npm test again.\n0 passed, 1 failed\n',
  )
  process.exit(1)
}
