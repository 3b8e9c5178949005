/**
 * Tells connections what changed: patches four times a second, windows at most twice, the total speed
 * once. Nothing is due while nothing changes, so an idle host stays idle.
 */
import { taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Events } from '../../shared/contract/events.ts'
import type { ListQuery, ListWindow, TaskRow } from '../../shared/view.ts'
import type { Clock, TaskStore } from '../ports.ts'
import type { Runs } from '../runner/runs.ts'
import type { SendEvent } from '../service.ts'
import type { RowSource } from './row-source.ts'
import type { TaskMemory } from './task-memory.ts'
import type { Written } from './task-writer.ts'
import { Watcher } from './watcher.ts'

const patchIntervalMs = 250
const windowIntervalMs = 500
const volatileWindowIntervalMs = 1000
const statsIntervalMs = 1000

export interface FeedParts {
  readonly clock: Clock
  readonly store: TaskStore
  readonly runs: Runs
  readonly memory: TaskMemory
  readonly rows: RowSource
  readonly epoch: string
  onFault(taskId: string | null, error: unknown): void
}

export class Feed {
  readonly #parts: FeedParts
  readonly #watchers = new Set<Watcher>()
  readonly #changed = new Map<string, Task>()
  readonly #removed = new Set<string>()
  #cancelFlush: (() => void) | null = null
  #cancelStats: (() => void) | null = null
  #queueChanged = false
  #flushing = false
  #closed = false
  #lastStats: Events['stats'] | null = null

  constructor(parts: FeedParts) {
    this.#parts = parts
  }

  add(send: SendEvent): Watcher {
    const watcher = new Watcher(send, this.#parts.epoch)
    this.#watchers.add(watcher)
    return watcher
  }

  delete(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    watcher.close()
  }

  /** To every connection, at once. */
  broadcast<N extends 'settings.changed' | 'notice' | 'stats' | 'power.changed'>(
    name: N,
    event: Events[N],
  ): void {
    for (const watcher of this.#watchers) watcher.send(name, event)
  }

  take(written: readonly Written[]): void {
    for (const { before, after } of written) {
      const id = (after ?? before)?.id
      if (id === undefined) continue
      if (after === null || after.request?.kind === 'delete') {
        this.#changed.delete(id)
        this.#removed.add(id)
      } else {
        this.#removed.delete(id)
        this.#changed.set(id, after)
      }
      if (changesWindows(before, after)) {
        this.#queueChanged = true
        for (const watcher of this.#watchers) watcher.stale ||= watcher.query !== null
      }
    }
    this.#wake()
  }

  /** Live figures of a task have changed. */
  figuresChanged(taskId: string): void {
    const task = this.#parts.memory.live(taskId)
    if (task !== undefined && task.request?.kind !== 'delete') this.#changed.set(taskId, task)
    this.#wake()
  }

  /** Why waiting tasks are held back has changed: every watched one may read differently. */
  blocksChanged(): void {
    this.#queueChanged = true
    this.#wake()
  }

  /** The window of a query now, with its rows. */
  async window(query: ListQuery): Promise<{ window: ListWindow; rows: TaskRow[] }> {
    const { ids, total, counts } = await this.#parts.store.list(query)
    const tasks = await this.#parts.memory.loadMany(ids)
    const shown = tasks.filter((task) => task.request?.kind !== 'delete')
    return {
      window: { ids: shown.map((task) => task.id), total, counts },
      rows: shown.map((task) => this.#parts.rows.row(task)),
    }
  }

  async watch(watcher: Watcher, query: ListQuery | null): Promise<void> {
    watcher.watch(query)
    if (query === null) return
    await this.#sendWindow(watcher, query)
    this.#wake()
  }

  close(): void {
    this.#closed = true
    this.#cancelFlush?.()
    this.#cancelStats?.()
    this.#watchers.clear()
  }

  #wake(): void {
    if (this.#closed) return
    const { clock } = this.#parts
    this.#cancelFlush ??= clock.after(patchIntervalMs, () => void this.#flush())
    this.#cancelStats ??= clock.after(statsIntervalMs, () => this.#stats())
  }

  async #flush(): Promise<void> {
    this.#cancelFlush = null
    if (this.#flushing || this.#closed) {
      this.#wake()
      return
    }
    this.#flushing = true
    try {
      this.#sendChanges()
      await this.#sendWindows()
    } catch (thrown) {
      this.#parts.onFault(null, thrown)
    } finally {
      this.#flushing = false
    }
    if ([...this.#watchers].some((watcher) => watcher.stale)) this.#wake()
  }

  #sendChanges(): void {
    const removed = [...this.#removed]
    this.#removed.clear()
    const changed = new Map(this.#changed)
    this.#changed.clear()
    const allWaiting = this.#queueChanged
    this.#queueChanged = false
    for (const watcher of this.#watchers) {
      watcher.sendRemoved(removed)
      const tasks = [...changed.values()].filter((task) => watcher.watches(task.id))
      if (allWaiting) tasks.push(...this.#waitingOf(watcher, changed))
      watcher.sendRows(tasks.map((task) => this.#parts.rows.row(task)))
    }
  }

  /** Places in the queue shift with every task that enters or leaves it. */
  #waitingOf(watcher: Watcher, besides: ReadonlyMap<string, Task>): Task[] {
    return watcher.watchedIds().flatMap((id) => {
      const task = besides.has(id) ? undefined : this.#parts.memory.live(id)
      return task !== undefined && task.rank !== null ? [task] : []
    })
  }

  async #sendWindows(): Promise<void> {
    const now = this.#parts.clock.monotonic()
    for (const watcher of this.#watchers) {
      const { query } = watcher
      if (query === null) continue
      const moving = isVolatile(query) && this.#parts.runs.size > 0
      const interval = moving ? volatileWindowIntervalMs : windowIntervalMs
      if ((watcher.stale || moving) && now - watcher.sentAt >= interval)
        await this.#sendWindow(watcher, query)
    }
  }

  async #sendWindow(watcher: Watcher, query: ListQuery): Promise<void> {
    watcher.stale = false
    watcher.sentAt = this.#parts.clock.monotonic()
    const { window, rows } = await this.window(query)
    // The connection may have asked for another window meanwhile.
    if (watcher.query === query && this.#watchers.has(watcher)) watcher.sendWindow(window, rows)
  }

  /** Once a second while something runs, and once more when it has ended. */
  #stats(): void {
    this.#cancelStats = null
    const { clock, runs, memory } = this.#parts
    const running = runs.all().filter((run) => run.phase === 'running')
    const stats = {
      bytesPerSecond: running.reduce((sum, run) => sum + run.figures.speed(clock.monotonic()), 0),
      running: running.length,
      waiting: memory.queue.size,
    }
    if (JSON.stringify(stats) !== JSON.stringify(this.#lastStats)) this.broadcast('stats', stats)
    this.#lastStats = stats
    // Speeds fall to zero by themselves: rows of running tasks are looked at even without news.
    for (const run of running) this.figuresChanged(run.taskId)
  }
}

function isVolatile(query: ListQuery): boolean {
  return query.sort === 'progress' || query.sort === 'size'
}

/** Whether membership or order of some window may differ: state, place, title, size or existence changed. */
function changesWindows(before: Task | null, after: Task | null): boolean {
  if (before === null || after === null) return true
  return (
    taskState(before) !== taskState(after) ||
    before.rank !== after.rank ||
    before.title !== after.title ||
    before.service !== after.service ||
    before.files !== after.files ||
    (before.request?.kind === 'delete') !== (after.request?.kind === 'delete')
  )
}
