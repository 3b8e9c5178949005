/** The programs as they are delivered: what a test starts as a process is what a person starts, and starts as fast. */
import { existsSync } from 'node:fs'
import path from 'node:path'

/** Path of a program, such as `main/cli.cjs`. @throws when there is no build */
export function builtProgram(name: string): string {
  const program = path.join(import.meta.dirname, '../out', name)
  if (!existsSync(program)) throw new Error('Sluice is not built: run `npm run build` first.')
  return program
}

/** `bin/sluice`, which finds the build, or says that there is none. */
export const launcher = path.join(import.meta.dirname, '../bin/sluice')
