/** Networks that lose packets, move, or go away for a while. F05, F12, F13; needs root and, for loss, nft. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const program = fileURLToPath(new URL('own-network-process.ts', import.meta.url))
const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0
const hasNetworks = works('unshare', '-n', 'ip', 'link', 'set', 'lo', 'up')
const hasFilter = hasNetworks && works('unshare', '-n', 'nft', 'list', 'ruleset')

async function downloadWhile(what: string): Promise<unknown> {
  const child = spawn('unshare', ['-n', process.execPath, program, what], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
  await once(child, 'close')
  return JSON.parse(output)
}

const whole = { said: 'completed', isRight: true }

// Side by side: each mostly waits.
describe.skipIf(!hasNetworks)('a download over a network', { timeout: 180_000, concurrent: true }, () => {
  it.skipIf(!hasFilter)('F05 that loses three of ten packets ends in the right bytes', async ({ expect }) => {
    expect(await downloadWhile('loss')).toEqual(whole)
  })

  it('F13 that moves to another address leaves the old connections and goes on', async ({ expect }) => {
    expect(await downloadWhile('moved')).toEqual(whole)
  })

  it('F12 that goes down and comes back goes on', async ({ expect }) => {
    expect(await downloadWhile('down')).toEqual(whole)
  })
})
