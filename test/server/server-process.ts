/** The built server as a process of its own. */
import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { builtProgram } from '../built-program.ts'

export class ServerProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [builtProgram('main/server.cjs'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...environment },
    })
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
  }

  /** Resolves with the printed link. */
  async link(): Promise<URL> {
    for (;;) {
      const link = /^Sluice is at (\S+)$/m.exec(this.stdout)?.[1]
      if (link !== undefined) return new URL(link)
      if (this.child.exitCode !== null) throw new Error(`the server ended: ${this.stderr}`)
      await Promise.race([once(this.child.stdout, 'data'), once(this.child, 'close')])
    }
  }

  /** Resolves with the exit code, or the signal that ended it, once its output is complete. */
  async ended(): Promise<number | string> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close')
    return this.child.exitCode ?? this.child.signalCode ?? ''
  }

  async kill(signal: NodeJS.Signals): Promise<number | string> {
    this.child.kill(signal)
    return this.ended()
  }
}
