import { describe, expect, it } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import { runSluice } from './sluice.ts'

const cwd = import.meta.dirname
const optionsOf = (text: string) => [...text.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map((match) => match[1])

describe('the manual', () => {
  it('is what one gets without a command', async () => {
    const [bare, asked] = await Promise.all([runSluice([], { cwd }), runSluice(['--help'], { cwd })])
    expect(bare).toMatchObject({ code: 0, errors: [] })
    expect(bare.stdout).toBe(asked.stdout)
    expect(bare.stdout).toContain('sluice get https://')
  })

  it('of get explains every option and every exit code', async () => {
    const { code, stdout } = await runSluice(['get', '--help'], { cwd })
    expect(code).toBe(0)
    expect(optionsOf(stdout)).toEqual(
      [
        'video',
        'audio',
        'input-file',
        'dir',
        'output',
        'connections',
        'jobs',
        'limit',
        'header',
        'proxy',
      ].concat(['checksum', 'direct', 'json', 'quiet', 'help']),
    )
    for (const exitCode of [0, 1, 2, 130]) expect(stdout).toMatch(new RegExp(`^  ${exitCode} +\\w`, 'm'))
  })

  it('of serve is the server’s own', async () => {
    const { code, stdout } = await runSluice(['serve', '--help'], { cwd })
    expect(code).toBe(0)
    expect(optionsOf(stdout)).toContain('port')
  })

  it('fits 80 columns', async () => {
    const { stdout } = await runSluice(['get', '--help'], { cwd })
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
})

describe('sluice --version', () => {
  it('prints the version of package.json', async () => {
    expect(await runSluice(['--version'], { cwd })).toMatchObject({
      code: 0,
      stdout: `${packageFile.version}\n`,
    })
  })
})
