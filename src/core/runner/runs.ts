/** The attempts that hold a slot, from the moment a worker is looked for until its end has been observed. */
import type { Run } from './run.ts'

export class Runs {
  readonly #byTask = new Map<string, Run>()

  add(run: Run): void {
    this.#byTask.set(run.taskId, run)
  }

  remove(run: Run): void {
    if (this.#byTask.get(run.taskId) === run) this.#byTask.delete(run.taskId)
  }

  of(taskId: string): Run | undefined {
    return this.#byTask.get(taskId)
  }

  has(taskId: string): boolean {
    return this.#byTask.has(taskId)
  }

  get size(): number {
    return this.#byTask.size
  }

  all(): Run[] {
    return [...this.#byTask.values()]
  }
}
