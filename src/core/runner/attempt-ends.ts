/**
 * What the observed end of an attempt means for its task, and what has to be done on the disk before that is
 * committed. Everything here may be repeated after a crash: until the commit the attempt is open in the store.
 */
import { taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { FileCare } from '../service/file-care.ts'
import { keepsPartials } from '../service/file-care.ts'
import type { AttemptEnd } from '../transition/attempt.ts'
import { endAttempt } from '../transition/attempt.ts'
import type { Transition, TransitionContext } from '../transition/transition.ts'
import type { Run } from './run.ts'

export interface AttemptEndParts {
  readonly care: FileCare
  context(): TransitionContext
  onFault(taskId: string, error: unknown): void
}

export class AttemptEnds {
  readonly #parts: AttemptEndParts

  constructor(parts: AttemptEndParts) {
    this.#parts = parts
  }

  /** `task` is owned by the attempt of this run; called in the task's line. */
  async of(run: Run, task: Task): Promise<Transition> {
    const { care } = this.#parts
    const facts = { reason: reasonOf(run, task), ...(await care.publishedFacts(task)) }
    const transition = endAttempt(await this.#prepared(task), facts, this.#parts.context())
    const { task: after } = transition
    if (taskState(after) === 'COMPLETED' && !keepsPartials(after) && !run.leavesNothing) {
      await care.removeWorkingFolder(after).catch((thrown: unknown) => this.#parts.onFault(after.id, thrown))
    }
    return transition
  }

  /** An edit whose files cannot follow it is given up; what was asked to go is only asked again. */
  async #prepared(task: Task): Promise<Task> {
    if (task.request?.kind !== 'edit') return this.#parts.care.prepare(task)
    try {
      return await this.#parts.care.prepare(task)
    } catch (thrown) {
      this.#parts.onFault(task.id, thrown)
      return { ...task, request: null }
    }
  }
}

function reasonOf(run: Run, task: Task): AttemptEnd {
  if (run.fault !== null) return run.fault
  if (task.request !== null) return 'stopped'
  if (run.phase === 'finishing') return 'finished'
  // its worker had to go for another attempt's sake
  if (run.end?.kind === 'evicted') return 'stopped'
  return 'crashed'
}
