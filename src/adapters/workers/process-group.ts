/**
 * Ending processes for good. A process is named by pid and start time; FFmpeg and yt-dlp lead groups of their
 * own, so that what they start ends with them. A pid that meanwhile belongs to someone else is never signalled.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { startTimeOf } from '../process-identity.ts'

export interface RecordedProcess {
  pid: number
  startTime: string
}

const pollMs = 20
/** A process in uninterruptible sleep cannot be killed; after this long it is left behind. */
const patienceMs = 10_000

/** Whether the signal found anyone; 0 only looks. */
function signal(pid: number, kind: 'SIGKILL' | 0): boolean {
  try {
    process.kill(pid, kind)
    return true
  } catch {
    // ESRCH: it has gone meanwhile, which is what we want; EPERM: it never was ours
    return false
  }
}

/** Whether a process of this group runs: state and group are fields 3 and 5 of /proc/<pid>/stat (proc(5)). */
function isLivingMember(entry: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${entry}/stat`, 'latin1')
    const [state, , ownGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(ownGroup) === group && state !== 'Z' && state !== 'X'
  } catch {
    // ended while we looked
    return false
  }
}

/**
 * Whether any process is left in the group that this pid led. The dead whose entries nobody has taken note of do
 * not count: in a container without an init they stay for ever.
 */
export function groupLives(pid: number): boolean {
  if (process.platform === 'win32' || !signal(-pid, 0)) return false
  if (process.platform !== 'linux') return true
  return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isLivingMember(entry, pid))
}

async function isGone({ pid, startTime }: RecordedProcess): Promise<boolean> {
  const now = await startTimeOf(pid)
  if (now === startTime) return false
  // a pid is not given away while a group bears its number
  return now !== null || !groupLives(pid)
}

async function killTree(pid: number): Promise<void> {
  await new Promise((resolve) => {
    // it fails when there is nothing left to kill
    execFile('taskkill', ['/PID', String(pid), '/T', '/F'], resolve)
  })
}

/**
 * Kills a recorded process and the group it leads, and resolves when nothing of them is left (or cannot be
 * killed within 10 s). Never rejects.
 *
 * `orphans`: what to do with a group whose leader has gone. One of our own life may be killed; of a previous
 * life nobody can tell whether it still is the same group, so it is left alone.
 */
export async function killProcessAndGroup(
  recorded: RecordedProcess,
  orphans: 'kill' | 'leave',
): Promise<void> {
  const { pid, startTime } = recorded
  const now = await startTimeOf(pid)
  if (now === null ? orphans === 'leave' : now !== startTime) return
  if (process.platform === 'win32') {
    await killTree(pid)
  } else {
    // a worker leads no group of its own
    signal(-pid, 'SIGKILL')
    if (now !== null) signal(pid, 'SIGKILL')
  }
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollMs) {
    if (await isGone(recorded)) return
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
