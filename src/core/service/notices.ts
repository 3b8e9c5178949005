/** What a person should see: ends of tasks, pauses that came by themselves, and "all finished", each once. */
import { taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Events } from '../../shared/contract/events.ts'
import { scrubError, secretValues } from '../../shared/mask-secrets.ts'
import { firstError } from '../transition/job.ts'
import type { Written } from './task-writer.ts'

export type Notice = Events['notice']

function noticeOf(before: Task | null, after: Task): Notice | null {
  const was = before === null ? null : taskState(before)
  const state = taskState(after)
  const again = before !== null && before.job.id === after.job.id && was === state
  if (again || after.request?.kind === 'delete') return null
  const base = { taskId: after.id, title: after.title }
  if (state === 'COMPLETED') return { kind: 'completed', ...base, error: null }
  if (state === 'FAILED') return { kind: 'failed', ...base, error: firstError(after) }
  if (state !== 'PAUSED' || after.pause === null || !('error' in after.pause)) return null
  const error = scrubError(after.pause.error, secretValues(after.parameters))
  return { kind: 'paused', ...base, error }
}

export class Notices {
  readonly #send: (notice: Notice) => void
  /** nothing running, stopping or waiting */
  readonly #isIdle: () => boolean
  readonly #onAllFinished: () => void
  #worked = false
  #counts = { completed: 0, failed: 0, cancelled: 0 }

  constructor(parts: {
    send: (notice: Notice) => void
    isIdle: () => boolean
    /** right after it was said */
    onAllFinished: () => void
  }) {
    this.#send = parts.send
    this.#isIdle = parts.isIdle
    this.#onAllFinished = parts.onAllFinished
  }

  take(written: readonly Written[]): void {
    for (const { before, after } of written) {
      if (after === null) continue
      if (taskState(after) === 'RUNNING') this.#worked = true
      this.#count(before, after)
      const notice = noticeOf(before, after)
      if (notice !== null) this.#send(notice)
    }
  }

  /** Asked whenever a slot has become free: said once after there was work. */
  settle(): void {
    if (!this.#worked || !this.#isIdle()) return
    this.#worked = false
    const counts = this.#counts
    this.#counts = { completed: 0, failed: 0, cancelled: 0 }
    this.#send({ kind: 'all-finished', taskId: null, title: '', error: null, counts })
    this.#onAllFinished()
  }

  /** Each end of a job once. */
  #count(before: Task | null, after: Task): void {
    const { end } = after.job
    if (end === null || (before?.job.id === after.job.id && before.job.end !== null)) return
    if (end.state === 'COMPLETED') this.#counts.completed++
    else if (end.state === 'FAILED') this.#counts.failed++
    else this.#counts.cancelled++
  }
}
