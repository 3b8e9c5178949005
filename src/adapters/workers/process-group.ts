/**
 * Ending processes for good. A process is named by pid and start time; FFmpeg and yt-dlp lead groups of their
 * own, so that what they start ends with them. A pid that meanwhile belongs to someone else is never signalled.
 */
import { execFile } from 'node:child_process'
import { startTimeOf } from '../process-identity.ts'

export interface RecordedProcess {
  pid: number
  startTime: string
}

const pollMs = 20

function signal(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    // ESRCH: it has gone meanwhile, which is what we want
    return false
  }
}

/** Whether any process is left in the group that this pid led. */
function groupExists(pid: number): boolean {
  try {
    process.kill(-pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether the pid still names the recorded process, or nobody while its group lives on (then it is not reused). */
async function isStillOurs(recorded: RecordedProcess): Promise<boolean> {
  const now = await startTimeOf(recorded.pid)
  return now === null || now === recorded.startTime
}

async function isGone(recorded: RecordedProcess): Promise<boolean> {
  const now = await startTimeOf(recorded.pid)
  if (now === recorded.startTime) return false
  return now !== null || process.platform === 'win32' || !groupExists(recorded.pid)
}

/**
 * Kills a recorded process and the group it leads, and resolves when nothing of them is left.
 * @throws never: what cannot be killed within 10 s (a process in uninterruptible sleep) is left behind
 */
export async function killProcessAndGroup(recorded: RecordedProcess): Promise<void> {
  if (!(await isStillOurs(recorded))) return
  if (process.platform === 'win32') {
    await new Promise((resolve) => execFile('taskkill', ['/PID', String(recorded.pid), '/T', '/F'], resolve))
  } else {
    signal(-recorded.pid)
    if ((await startTimeOf(recorded.pid)) === recorded.startTime) signal(recorded.pid)
  }
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += pollMs) {
    if (await isGone(recorded)) return
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
