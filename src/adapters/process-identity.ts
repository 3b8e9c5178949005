/**
 * A pid names a process only together with its start time: pids are reused, and a reused one must never be
 * signalled. The start time is an opaque text, the same each time it is asked for the same process and never
 * that of another, also across restarts of the machine.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Field 22 of /proc/<pid>/stat (proc(5)), counted behind the command name, which may contain anything. It counts
 * from the start of the machine, and machines start alike: only the boot id beside it tells two boots apart.
 */
function fromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, ticks] = [fields[0], fields[19]]
    // a zombie is gone but for its entry: it holds nothing and can do nothing
    if (ticks === undefined || state === 'Z' || state === 'X') return null
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${ticks}`
  } catch {
    // no such entry: no such process
    return null
  }
}

async function fromCommand(command: string, args: readonly string[]): Promise<string | null> {
  try {
    // the text is compared later, maybe under another locale or time zone
    const { stdout } = await run(command, args, { env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } })
    return stdout.trim() === '' ? null : stdout.trim()
  } catch {
    // both commands fail when there is no such process
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
