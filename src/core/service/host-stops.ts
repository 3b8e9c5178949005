/** Stops that the host itself asks for: a slot is taken back, the allowed hours have ended. */
import { taskState } from '../../shared/task/derive.ts'
import type { Request, Task } from '../../shared/task/model.ts'
import { ask } from '../transition/operate.ts'
import type { TransitionContext } from '../transition/transition.ts'
import type { TaskLines } from './task-lines.ts'
import type { TaskMemory } from './task-memory.ts'
import type { TaskWriter } from './task-writer.ts'

export interface HostStopParts {
  readonly lines: TaskLines
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  context(): TransitionContext
  onFault(taskId: string, error: unknown): void
}

export class HostStops {
  readonly #parts: HostStopParts

  constructor(parts: HostStopParts) {
    this.#parts = parts
  }

  /** Commits the requeue of a victim that still is one; false when it is none, or could not be asked. Never rejects. */
  preempt(taskId: string, rank: number): Promise<boolean> {
    return this.#ask(taskId, (task, at) => {
      const isStuck = task.steps.some((step) => step.state === 'RUNNING' && !step.preemptible)
      return isStuck ? null : { kind: 'requeue', at, rank }
    })
  }

  /** Never rejects. */
  async pauseForHours(taskId: string, resumeAt: number | null): Promise<void> {
    await this.#ask(taskId, (_task, at) => ({ kind: 'pause', at, schedule: { resumeAt } }))
  }

  /** Only of a task that runs and was asked for nothing meanwhile. */
  async #ask(taskId: string, requestFor: (task: Task, at: number) => Request | null): Promise<boolean> {
    const { lines, memory, writer } = this.#parts
    try {
      return await lines.run(taskId, async () => {
        const task = memory.live(taskId)
        if (task === undefined || task.request !== null || taskState(task) !== 'RUNNING') return false
        const context = this.#parts.context()
        const request = requestFor(task, context.now)
        if (request === null) return false
        const decision = ask(task, request, context)
        if (decision.kind !== 'accepted') return false
        await writer.write([{ before: task, transition: decision.transition }])
        return true
      })
    } catch (thrown) {
      this.#parts.onFault(taskId, thrown)
      return false
    }
  }
}
