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
  #worked = false

  constructor(send: (notice: Notice) => void, isIdle: () => boolean) {
    this.#send = send
    this.#isIdle = isIdle
  }

  take(written: readonly Written[]): void {
    for (const { before, after } of written) {
      if (after === null) continue
      if (taskState(after) === 'RUNNING') this.#worked = true
      const notice = noticeOf(before, after)
      if (notice !== null) this.#send(notice)
    }
  }

  /** Asked whenever a slot has become free: said once after there was work. */
  settle(): void {
    if (!this.#worked || !this.#isIdle()) return
    this.#worked = false
    this.#send({ kind: 'all-finished', taskId: null, title: '', error: null })
  }
}
