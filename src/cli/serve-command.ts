import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { entryPoint } from '../adapters/entry-point.ts'
import { exitCodes } from './exit-codes.ts'

/** The server is another program of the build: it is started with its own options, and its end is ours. */
export async function runServe(options: readonly string[]): Promise<number> {
  const server = spawn(process.execPath, [entryPoint('server'), ...options], { stdio: 'inherit' })
  // the terminal interrupts both; the server decides when it has stopped
  process.on('SIGINT', () => null)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => server.kill(signal))
  process.once('disconnect', () => server.kill('SIGTERM'))
  process.channel?.unref()
  const [code] = (await once(server, 'exit')) as [number | null]
  return code ?? exitCodes.notWhole
}
