/**
 * A pid names a process only together with its start time: pids are reused, and a reused one must never be
 * signalled. The start time is an opaque text, the same each time it is asked for the same process.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Field 22 of /proc/<pid>/stat (proc(5)), counted behind the command name, which may contain anything. */
function fromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // a zombie is gone but for its entry: it holds nothing and can do nothing
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

async function fromCommand(command: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await run(command, args)
    return stdout.trim() === '' ? null : stdout.trim()
  } catch {
    return null
  }
}

/** Start time of a living process, null when there is none with this pid. */
export function startTimeOf(pid: number): Promise<string | null> {
  switch (process.platform) {
    case 'linux':
      return Promise.resolve(fromProc(pid))
    case 'win32':
      return fromCommand('powershell.exe', [
        '-NoProfile',
        '-Command',
        `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`,
      ])
    default:
      return fromCommand('ps', ['-o', 'lstart=', '-p', String(pid)])
  }
}
