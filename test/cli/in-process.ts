/** The command line within the test's own process: what it writes is kept, what it would exit with is answered. */
import { vi } from 'vitest'
import { runProgram } from '../../src/cli/program.ts'

export interface Said {
  code: number
  stdout: string
  stderr: string
}

/** `environment`: variables for this run alone; undefined takes one away. */
export async function sluice(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Said> {
  const said = { stdout: '', stderr: '' }
  const keep = (name: keyof typeof said) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text)
      return true
    })
  const spies = [keep('stdout'), keep('stderr')]
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  try {
    const code = await runProgram(args)
    return { code, ...said }
  } finally {
    for (const spy of spies) spy.mockRestore()
    vi.unstubAllEnvs()
  }
}
