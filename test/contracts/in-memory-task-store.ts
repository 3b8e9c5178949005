/**
 * The fake of the `TaskStore` port: the same promises as SQLite's (test/contracts runs one suite on both), no
 * disk. Everything goes in and out as deep copies, so callers cannot share state by accident. `reopen` gives a
 * new store over the same durable data: the next life after a crash.
 */
import type {
  Change,
  Claim,
  CommitResult,
  HostLimit,
  QuarantinedRecord,
  TaskStore,
} from '../../src/core/ports.ts'
import { SluiceError } from '../../src/shared/errors.ts'
import type { Settings } from '../../src/shared/settings.ts'
import { isTerminal, taskState } from '../../src/shared/task/derive.ts'
import { sourceKey } from '../../src/shared/task/source-key.ts'
import { fileSize, taskProgress } from '../../src/shared/task/progress.ts'
import type { Attempt, Job, Task, TaskState } from '../../src/shared/task/model.ts'
import type { ListCounts, ListFilter, ListQuery } from '../../src/shared/view.ts'

interface Data {
  tasks: Map<string, Task>
  jobs: Map<string, Job>
  attempts: Map<string, Attempt>
  claims: Map<string, readonly Claim[]>
  settings: Partial<Settings>
  hostLimits: Map<string, HostLimit>
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
    hostLimits: new Map(),
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

/** Tasks that are being deleted are gone for the list. */
function visible(data: Data): Task[] {
  return [...data.tasks.values()].filter((task) => task.request?.kind !== 'delete')
}

function matching(data: Data, query: Pick<ListQuery, 'filter' | 'search'>): Task[] {
  const search = query.search.trim().toLowerCase()
  return visible(data).filter((task) => {
    if (query.filter !== 'all' && filterOf[taskState(task)] !== query.filter) return false
    return searchText(task).includes(search)
  })
}

function endedJobs(data: Data): Job[] {
  return [...data.jobs.values()]
    .filter((job) => job.end !== null)
    .sort((a, b) => (b.end?.at ?? 0) - (a.end?.at ?? 0) || compare(b.id, a.id))
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

  /** What is durable, as it is: objects in it are replaced, never changed. Not to be written. */
  peek(): Readonly<Data> {
    return this.#data
  }

  /** The next life: a new store over what was durable; this one answers no more. */
  reopen(): InMemoryTaskStore {
    this.#closed = true
    return new InMemoryTaskStore(this.snapshot())
  }

  /** As with a database, a store that is closed rejects; it never throws. */
  #ask<T>(answer: (data: Data) => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.#closed) throw new SluiceError('INTERNAL', 'The task list is closed')
      resolve(structuredClone(answer(this.#data)))
    })
  }

  loadLive(): Promise<{ tasks: Task[]; quarantined: QuarantinedRecord[] }> {
    return this.#ask(({ tasks }) => ({
      tasks: [...tasks.values()].filter((task) => !isTerminal(taskState(task)) || task.request !== null),
      quarantined: [],
    }))
  }

  load(taskId: string): Promise<Task | undefined> {
    return this.#ask(({ tasks }) => tasks.get(taskId))
  }

  loadMany(taskIds: readonly string[]): Promise<Task[]> {
    return this.#ask(({ tasks }) => taskIds.flatMap((id) => tasks.get(id) ?? []))
  }

  commit(changes: readonly Change[]): Promise<CommitResult> {
    return this.#ask((data): CommitResult => {
      if (this.failCommits !== null) throw this.failCommits
      const stale = changes.some((change) => {
        if (change.kind === 'require-unclaimed') {
          const held = [...data.claims.values()].flat().filter((claim) => claim.taskId !== change.taskId)
          return held.some((claim) => claim.foldedPath === change.foldedPath)
        }
        if (change.kind === 'require-ended') {
          const owner = data.tasks.get(change.taskId)
          return owner !== undefined && (!isTerminal(taskState(owner)) || owner.request !== null)
        }
        if (change.kind !== 'require-running') return false
        const task = data.tasks.get(change.taskId)
        const step = task?.steps.find((candidate) => candidate.id === change.stepId)
        return step?.state !== 'RUNNING' || task?.attempt?.token !== change.token
      })
      if (stale) return { kind: 'stale' }
      for (const change of structuredClone(changes)) this.#apply(data, change)
      return { kind: 'committed' }
    })
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
        // put again goes to the end, as rows that are written anew do
        data.claims.delete(change.taskId)
        data.claims.set(change.taskId, change.claims)
        break
      case 'put-settings':
        data.settings = change.settings
        break
      case 'put-host-limit':
        data.hostLimits.set(change.limit.host, change.limit)
        break
      case 'require-running':
      case 'require-unclaimed':
      case 'require-ended':
        break
    }
  }

  nextToken(): Promise<number> {
    return this.#ask((data) => ++data.token)
  }

  list(query: ListQuery): Promise<{ ids: string[]; total: number; counts: ListCounts }> {
    return this.#ask((data) => {
      const counts: ListCounts = { all: 0, running: 0, waiting: 0, paused: 0, completed: 0, failed: 0 }
      for (const task of visible(data)) {
        counts.all++
        const filter = filterOf[taskState(task)]
        if (filter !== null) counts[filter]++
      }
      const inOrder = matching(data, query)
      if (query.order === 'desc') inOrder.reverse()
      const shown = inOrder.sort((a, b) => this.#order(a, b, query))
      const ids = shown.slice(query.offset, query.offset + query.limit).map((task) => task.id)
      return { ids, total: shown.length, counts }
    })
  }

  idsOf(query: Pick<ListQuery, 'filter' | 'search'>): Promise<string[]> {
    return this.#ask((data) =>
      matching(data, query)
        .sort((a, b) => a.createdAt - b.createdAt)
        .map((task) => task.id),
    )
  }

  /** Equal keys keep the order in which the tasks were added, or its reverse. */
  #order(a: Task, b: Task, query: ListQuery): number {
    const key = (task: Task): (string | number)[] => {
      const state = taskState(task)
      switch (query.sort) {
        case 'queue':
        case 'state':
          return [
            stateOrder.indexOf(state),
            task.rank ?? task.attempt?.token ?? -(task.finishedAt ?? task.createdAt),
          ]
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

  tasksFrom(source: string): Promise<string[]> {
    return this.#ask((data) =>
      visible(data)
        .filter((task) => sourceKey(task.parameters) === source)
        .sort((a, b) => a.createdAt - b.createdAt)
        .map((task) => task.id)
        .reverse(),
    )
  }

  hostLimits(): Promise<HostLimit[]> {
    return this.#ask(({ hostLimits }) => [...hostLimits.values()].sort((a, b) => compare(a.host, b.host)))
  }

  terminalBefore(finishedAt: number): Promise<string[]> {
    const endOf = (task: Task) => task.finishedAt ?? Number.POSITIVE_INFINITY
    return this.#ask(({ tasks }) =>
      [...tasks.values()]
        .filter((task) => isTerminal(taskState(task)) && endOf(task) < finishedAt)
        .sort((a, b) => endOf(a) - endOf(b))
        .map((task) => task.id),
    )
  }

  claimsOn(foldedPath: string): Promise<Claim[]> {
    return this.#ask(({ claims }) =>
      [...claims.values()].flat().filter((claim) => claim.foldedPath === foldedPath),
    )
  }

  claimsOf(taskId: string): Promise<Claim[]> {
    return this.#ask(({ claims }) => [...(claims.get(taskId) ?? [])])
  }

  history(query: { limit: number; service?: string }): Promise<Job[]> {
    const service = query.service?.toLowerCase()
    return this.#ask((data) =>
      endedJobs(data)
        .filter((job) => service === undefined || job.end?.service.toLowerCase() === service)
        .slice(0, query.limit),
    )
  }

  job(jobId: string): Promise<Job | undefined> {
    return this.#ask(({ jobs }) => jobs.get(jobId))
  }

  attempts(taskId: string): Promise<Attempt[]> {
    return this.#ask(({ attempts }) =>
      [...attempts.values()].filter((attempt) => attempt.taskId === taskId).sort((a, b) => b.token - a.token),
    )
  }

  openAttempts(): Promise<Attempt[]> {
    return this.#ask(({ attempts }) =>
      [...attempts.values()].filter((attempt) => attempt.end === null).sort((a, b) => a.token - b.token),
    )
  }

  loadSettings(): Promise<Partial<Settings>> {
    return this.#ask(({ settings }) => settings)
  }

  trimHistory(keep: number): Promise<void> {
    return this.#ask((data) => {
      for (const job of endedJobs(data).slice(keep)) data.jobs.delete(job.id)
      for (const [id, attempt] of data.attempts) {
        if (attempt.end !== null && !data.tasks.has(attempt.taskId)) data.attempts.delete(id)
      }
    })
  }

  close(): Promise<void> {
    this.#closed = true
    return Promise.resolve()
  }
}
