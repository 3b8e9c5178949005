import { execFileSync } from 'node:child_process'

/** Runs a program of the system to its end; what it says on stderr is in the error when it fails. */
export function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
