/** The failure table: how long an automatic pause lasts and where the task goes afterwards. Pure arithmetic. */
import type { ErrorRecord } from '../../shared/errors.ts'
import type { Pause, Task } from '../../shared/task/model.ts'

const minuteMs = 60_000
export const longestNetworkPauseMs = 60 * minuteMs
export const storageGivesUpAfterMs = 24 * 60 * minuteMs

/**
 * `retryAfterMs`: what the host asked for, then the task returns to the head; null: the budget of its step is
 * used up, and the pause doubles from one minute to an hour with every one that brought no new bytes.
 */
export function networkPause(
  task: Pick<Task, 'networkPauses'>,
  cause: { error: ErrorRecord; retryAfterMs: number | null; failures: number },
  now: number,
): Pause {
  if (cause.retryAfterMs !== null) {
    const wait = Math.min(longestNetworkPauseMs, Math.max(0, cause.retryAfterMs))
    return {
      kind: 'network',
      at: now,
      resumeAt: now + wait,
      resumeTo: 'head',
      failures: cause.failures,
      error: cause.error,
    }
  }
  const wait = Math.min(longestNetworkPauseMs, minuteMs * 2 ** Math.min(task.networkPauses, 10))
  return {
    kind: 'network',
    at: now,
    resumeAt: now + wait,
    resumeTo: 'tail',
    failures: cause.failures,
    error: cause.error,
  }
}

/** A storage pause resumes by itself until a day after the first one of the job. */
export function storagePause(
  task: Pick<Task, 'storagePausedSince' | 'parameters'>,
  cause: { error: ErrorRecord; resumesByItself: boolean },
  now: number,
): Pause {
  const firstAt = task.storagePausedSince ?? now
  return {
    kind: 'storage',
    at: now,
    firstAt,
    folder: task.parameters.folder,
    resumesByItself: cause.resumesByItself && now - firstAt < storageGivesUpAfterMs,
    error: cause.error,
  }
}

/** Which of several held pauses the task shows: one that ends by itself first, then those that need the user. */
const precedence: Record<Pause['kind'], number> = {
  storage: 0,
  network: 1,
  schedule: 2,
  review: 3,
  source: 4,
  crash: 5,
  user: 6,
}

export function strongestPause(pauses: readonly Pause[]): Pause | undefined {
  return pauses.toSorted((a, b) => precedence[a.kind] - precedence[b.kind] || soonest(a) - soonest(b))[0]
}

function soonest(pause: Pause): number {
  return pause.kind === 'network' && pause.resumeAt !== null ? pause.resumeAt : 0
}
