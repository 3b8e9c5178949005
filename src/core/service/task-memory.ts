/**
 * The tasks that can still change by themselves, as they were last committed, and the queue they form. Terminal
 * tasks live in the store only.
 */
import { isTerminal, taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { TaskStore } from '../ports.ts'
import { Ranks } from '../scheduling/ranks.ts'
import { WaitingQueue } from '../scheduling/waiting-queue.ts'

export class TaskMemory {
  readonly #live = new Map<string, Task>()
  readonly #store: Pick<TaskStore, 'load' | 'loadMany'>
  readonly queue = new WaitingQueue()
  /** waiting tasks that start over the limit, in the order in which they were asked to */
  readonly startingNow = new Set<string>()
  readonly ranks = new Ranks()

  constructor(store: Pick<TaskStore, 'load' | 'loadMany'>) {
    this.#store = store
  }

  live(taskId: string): Task | undefined {
    return this.#live.get(taskId)
  }

  liveTasks(): Iterable<Task> {
    return this.#live.values()
  }

  /** Whatever state it is in; undefined when there is no such task. */
  async load(taskId: string): Promise<Task | undefined> {
    return this.#live.get(taskId) ?? (await this.#store.load(taskId))
  }

  /** In the order of the ids; unknown ones are left out. */
  async loadMany(taskIds: readonly string[]): Promise<Task[]> {
    const missing = taskIds.filter((id) => !this.#live.has(id))
    const stored = missing.length === 0 ? [] : await this.#store.loadMany(missing)
    const byId = new Map(stored.map((task) => [task.id, task]))
    return taskIds.flatMap((id) => this.#live.get(id) ?? byId.get(id) ?? [])
  }

  /** Takes over what was committed. */
  replace(task: Task): void {
    // One that was deleted is hidden: it takes no place that anybody could see.
    const waits = taskState(task) === 'WAITING' && task.request?.kind !== 'delete'
    this.queue.place(task.id, waits ? task.rank : null)
    if (waits && task.overLimit) this.startingNow.add(task.id)
    else this.startingNow.delete(task.id)
    if (task.rank !== null) this.ranks.seen(task.rank)
    if (isTerminal(taskState(task)) && task.request === null && task.attempt === null) {
      this.#live.delete(task.id)
    } else this.#live.set(task.id, task)
  }

  remove(taskId: string): void {
    this.queue.place(taskId, null)
    this.startingNow.delete(taskId)
    this.#live.delete(taskId)
  }
}
