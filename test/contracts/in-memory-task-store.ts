/**
 * The fake of the `TaskStore` port: the same promises as SQLite's (test/contracts runs one suite on both), no
 * disk. Everything goes in and out as deep copies, so callers cannot share state by accident. `reopen` gives a
 * new store over the same durable data: the next life after a crash.
 */
import type { Change, Claim, CommitResult, QuarantinedRecord, TaskStore } from '../../src/core/ports.ts'
import type { Settings } from '../../src/shared/settings.ts'
import { isTerminal, taskState } from '../../src/shared/task/derive.ts'
import { fileSize, taskProgress } from '../../src/shared/task/progress.ts'
import type { Attempt, Job, Task, TaskState } from '../../src/shared/task/model.ts'
import type { ListCounts, ListFilter, ListQuery } from '../../src/shared/view.ts'

interface Data {
  tasks: Map<string, Task>
  jobs: Map<string, Job>
  attempts: Map<string, Attempt>
  claims: Map<string, Claim[]>
  settings: Partial<Settings>
  token: number
}

const filterOf: Record<TaskState, ListFilter | null> = {
  RUNNING: 'running',
  WAITING: 'waiting',
  PAUSED: 'paused',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: null,
}

const stateOrder: readonly TaskState[] = ['RUNNING', 'WAITING', 'PAUSED', 'FAILED', 'COMPLETED', 'CANCELLED']

function emptyData(): Data {
  return {
    tasks: new Map(),
    jobs: new Map(),
    attempts: new Map(),
    claims: new Map(),
    settings: {},
    token: 0,
  }
}

/** Size of what is selected; unknown sizes count as 0. */
function sizeOf(task: Task): number {
  return task.files
    .filter((file) => file.selected)
    .map((file) => {
      const steps = task.steps.filter((step) => step.fileId === file.id)
      return fileSize(file, steps, () => undefined) ?? 0
    })
    .reduce((sum, size) => sum + size, 0)
}

function searchText(task: Task): string {
  return `${task.title}\n${task.service}`.toLowerCase()
}

/** Texts by code point, as SQLite does: by code unit, an emoji would come before a few rarer characters. */
function compare(a: string | number, b: string | number): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : a > b ? 1 : 0
}

export class InMemoryTaskStore implements TaskStore {
  #data: Data
  /** set by a test to make the next commits fail as a full disk would */
  failCommits: Error | null = null
  #closed = false

  constructor(data: Data = emptyData()) {
    this.#data = data
  }

  /** A copy of everything that is durable, for comparing before and after. */
  snapshot(): Data {
    return structuredClone(this.#data)
  }

  /** The next life: a new store over what was durable; this one answers no more. */
  reopen(): InMemoryTaskStore {
    this.#closed = true
    return new InMemoryTaskStore(this.snapshot())
  }

  loadLive(): Promise<{ tasks: Task[]; quarantined: QuarantinedRecord[] }> {
    const live = [...this.#open().tasks.values()].filter(
      (task) => !isTerminal(taskState(task)) || task.request !== null,
    )
    return Promise.resolve({ tasks: structuredClone(live), quarantined: [] })
  }

  load(taskId: string): Promise<Task | undefined> {
    return Promise.resolve(structuredClone(this.#open().tasks.get(taskId)))
  }

  loadMany(taskIds: readonly string[]): Promise<Task[]> {
    const tasks = taskIds.map((id) => this.#open().tasks.get(id)).filter((task) => task !== undefined)
    return Promise.resolve(structuredClone(tasks))
  }

  commit(changes: readonly Change[]): Promise<CommitResult> {
    const data = this.#open()
    if (this.failCommits !== null) return Promise.reject(this.failCommits)
    const stale = changes.some((change) => {
      if (change.kind !== 'require-running') return false
      const task = data.tasks.get(change.taskId)
      const step = task?.steps.find((candidate) => candidate.id === change.stepId)
      return step?.state !== 'RUNNING' || task?.attempt?.token !== change.token
    })
    if (stale) return Promise.resolve({ kind: 'stale' })
    for (const change of structuredClone(changes)) this.#apply(data, change)
    return Promise.resolve({ kind: 'committed' })
  }

  #apply(data: Data, change: Change): void {
    switch (change.kind) {
      case 'put-task':
        data.tasks.set(change.task.id, change.task)
        break
      case 'remove-task':
        data.tasks.delete(change.taskId)
        data.claims.delete(change.taskId)
        for (const [id, job] of data.jobs) {
          if (job.taskId === change.taskId && job.end === null) data.jobs.delete(id)
        }
        for (const [id, attempt] of data.attempts) {
          if (attempt.taskId === change.taskId && attempt.end !== null) data.attempts.delete(id)
        }
        break
      case 'put-job':
        if ((data.jobs.get(change.job.id)?.end ?? null) === null) data.jobs.set(change.job.id, change.job)
        break
      case 'remove-job':
        data.jobs.delete(change.jobId)
        break
      case 'put-attempt':
        data.attempts.set(change.attempt.id, change.attempt)
        break
      case 'put-claims':
        data.claims.set(change.taskId, change.claims)
        break
      case 'put-settings':
        data.settings = change.settings
        break
      case 'require-running':
        break
    }
  }

  nextToken(): Promise<number> {
    return Promise.resolve(++this.#open().token)
  }

  list(query: ListQuery): Promise<{ ids: string[]; total: number; counts: ListCounts }> {
    const inOrder = this.#matching(query)
    if (query.order === 'desc') inOrder.reverse()
    const shown = inOrder.sort((a, b) => this.#order(a, b, query))
    const counts: ListCounts = { all: 0, running: 0, waiting: 0, paused: 0, completed: 0, failed: 0 }
    for (const task of this.#visible()) {
      counts.all++
      const filter = filterOf[taskState(task)]
      if (filter !== null) counts[filter]++
    }
    const ids = shown.slice(query.offset, query.offset + query.limit).map((task) => task.id)
    return Promise.resolve({ ids, total: shown.length, counts })
  }

  idsOf(query: Pick<ListQuery, 'filter' | 'search'>): Promise<string[]> {
    return Promise.resolve(
      this.#matching(query)
        .sort((a, b) => a.createdAt - b.createdAt)
        .map((task) => task.id),
    )
  }

  #visible(): Task[] {
    return [...this.#open().tasks.values()].filter((task) => task.request?.kind !== 'delete')
  }

  #matching(query: Pick<ListQuery, 'filter' | 'search'>): Task[] {
    const search = query.search.trim().toLowerCase()
    return this.#visible().filter((task) => {
      if (query.filter !== 'all' && filterOf[taskState(task)] !== query.filter) return false
      return searchText(task).includes(search)
    })
  }

  /** Equal keys keep the order in which the tasks were added, or its reverse. */
  #order(a: Task, b: Task, query: ListQuery): number {
    const key = (task: Task): (string | number)[] => {
      const state = taskState(task)
      switch (query.sort) {
        case 'queue':
        case 'state':
          return [stateOrder.indexOf(state), task.rank ?? -(task.finishedAt ?? task.createdAt)]
        case 'created':
          return [task.createdAt]
        case 'title':
          return [searchText(task)]
        case 'size':
          return [sizeOf(task)]
        case 'progress':
          return [taskProgress(task, () => undefined)]
        case 'finished':
          return [task.finishedAt ?? Number.NEGATIVE_INFINITY]
      }
    }
    const [left, right] = [key(a), key(b)]
    const first = left.map((value, index) => compare(value, right[index] ?? value)).find((sign) => sign !== 0)
    return query.order === 'asc' ? (first ?? 0) : -(first ?? 0)
  }

  terminalBefore(finishedAt: number): Promise<string[]> {
    const ids = [...this.#open().tasks.values()]
      .filter(
        (task) => isTerminal(taskState(task)) && task.finishedAt !== null && task.finishedAt < finishedAt,
      )
      .sort((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0))
      .map((task) => task.id)
    return Promise.resolve(ids)
  }

  claimsOn(foldedPath: string): Promise<Claim[]> {
    const claims = [...this.#open().claims.values()].flat()
    return Promise.resolve(structuredClone(claims.filter((claim) => claim.foldedPath === foldedPath)))
  }

  claimsOf(taskId: string): Promise<Claim[]> {
    return Promise.resolve(structuredClone(this.#open().claims.get(taskId) ?? []))
  }

  history(query: { limit: number; service?: string }): Promise<Job[]> {
    const service = query.service?.toLowerCase()
    const ended = this.#endedJobs().filter(
      (job) => service === undefined || job.end?.service.toLowerCase() === service,
    )
    return Promise.resolve(structuredClone(ended.slice(0, query.limit)))
  }

  #endedJobs(): Job[] {
    return [...this.#open().jobs.values()]
      .filter((job) => job.end !== null)
      .sort((a, b) => (b.end?.at ?? 0) - (a.end?.at ?? 0) || compare(b.id, a.id))
  }

  job(jobId: string): Promise<Job | undefined> {
    return Promise.resolve(structuredClone(this.#open().jobs.get(jobId)))
  }

  attempts(taskId: string): Promise<Attempt[]> {
    const own = [...this.#open().attempts.values()].filter((attempt) => attempt.taskId === taskId)
    return Promise.resolve(structuredClone(own.sort((a, b) => b.token - a.token)))
  }

  openAttempts(): Promise<Attempt[]> {
    const open = [...this.#open().attempts.values()].filter((attempt) => attempt.end === null)
    return Promise.resolve(structuredClone(open.sort((a, b) => a.token - b.token)))
  }

  loadSettings(): Promise<Partial<Settings>> {
    return Promise.resolve(structuredClone(this.#open().settings))
  }

  trimHistory(keep: number): Promise<void> {
    for (const job of this.#endedJobs().slice(keep)) this.#data.jobs.delete(job.id)
    for (const [id, attempt] of this.#data.attempts) {
      if (attempt.end !== null && !this.#data.tasks.has(attempt.taskId)) this.#data.attempts.delete(id)
    }
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.#closed = true
    return Promise.resolve()
  }

  #open(): Data {
    if (this.#closed) throw new Error('the store is closed')
    return this.#data
  }
}
