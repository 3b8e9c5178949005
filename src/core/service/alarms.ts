/** What happens to a resting task when its time comes: a network pause ends, a deleted task is purged. */
import { taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Clock } from '../ports.ts'
import type { Written } from './task-writer.ts'

export type AlarmKind = 'purge' | 'resume'

interface Due {
  kind: AlarmKind
  at: number
  /** ms from the decision to its time: a clock that was set back since cannot make it longer */
  longest: number
}

function dueOf(task: Task): Due | null {
  if (task.request?.kind === 'delete') {
    if (task.attempt !== null) return null
    const { at, purgeAt } = task.request
    return { kind: 'purge', at: purgeAt, longest: purgeAt - at }
  }
  if (taskState(task) !== 'PAUSED' || task.pause?.kind !== 'network' || task.request !== null) return null
  const { at, resumeAt } = task.pause
  return resumeAt === null ? null : { kind: 'resume', at: resumeAt, longest: resumeAt - at }
}

export class Alarms {
  readonly #clock: Clock
  readonly #ring: (taskId: string, kind: AlarmKind) => void
  readonly #set = new Map<string, Due & { cancel: () => void }>()

  constructor(clock: Clock, ring: (taskId: string, kind: AlarmKind) => void) {
    this.#clock = clock
    this.#ring = ring
  }

  take(written: readonly Written[]): void {
    for (const { before, after } of written) {
      if (after !== null) this.set(after)
      else if (before !== null) this.#clear(before.id)
    }
  }

  /** Sets, keeps or clears the alarm of a task. Time that has passed while no host ran is not waited for again. */
  set(task: Task): void {
    const due = dueOf(task)
    const held = this.#set.get(task.id)
    if (due === null) {
      this.#clear(task.id)
      return
    }
    if (held?.kind === due.kind && held.at === due.at) return
    this.#clear(task.id)
    // The wall clock says how long; once armed, the monotonic one counts, so a changed clock cannot hold it up.
    const wait = Math.max(0, Math.min(due.longest, due.at - this.#clock.now()))
    const cancel = this.#clock.after(wait, () => {
      this.#set.delete(task.id)
      this.#ring(task.id, due.kind)
    })
    this.#set.set(task.id, { ...due, cancel })
  }

  close(): void {
    for (const alarm of this.#set.values()) alarm.cancel()
    this.#set.clear()
  }

  #clear(taskId: string): void {
    this.#set.get(taskId)?.cancel()
    this.#set.delete(taskId)
  }
}
