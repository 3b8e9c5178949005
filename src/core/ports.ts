/**
 * What the domain needs from the world, as interfaces. Implementations live in `adapters` and in the hosts;
 * fakes for tests are named `InMemory…` or `Fake…` and pass the same contract suites.
 */
import type { Settings } from '../shared/settings.ts'
import type { Attempt, Job, Task } from '../shared/task/model.ts'
import type { ListCounts, ListQuery } from '../shared/view.ts'
import type { HostMessage, WorkerMessage } from '../shared/worker-protocol.ts'

export interface Clock {
  /** wall time, ms since 1970 */
  now(): number
  /** monotonic ms, unaffected by changes of the wall clock */
  monotonic(): number
  /** local minute of the week, 0 is Monday 00:00 */
  minuteOfWeek(): number
  /** Calls back once after `ms`; returns the function that cancels it. */
  after(ms: number, callback: () => void): () => void
}

export interface Random {
  /** an unguessable id of letters and digits */
  id(): string
  /** [0, 1) */
  fraction(): number
}

/** A file name or working folder that a task holds; unique among live claims by `foldedPath`. */
export interface Claim {
  taskId: string
  kind: 'working-folder' | 'output'
  path: string
  /** NFC and case folded */
  foldedPath: string
}

/** One change of a transaction. */
export type Change =
  /** whole aggregate: task, files, steps; the store writes the state column by `taskState` */
  | { kind: 'put-task'; task: Task }
  | { kind: 'remove-task'; taskId: string }
  /** jobs without end only; a job that has ended never changes */
  | { kind: 'put-job'; job: Job }
  | { kind: 'remove-job'; jobId: string }
  | { kind: 'put-attempt'; attempt: Attempt }
  | { kind: 'put-claims'; taskId: string; claims: readonly Claim[] }
  | { kind: 'put-settings'; settings: Settings }
  | { kind: 'put-host-limit'; limit: HostLimit }
  /** refuse the whole transaction unless this step is stored RUNNING under this token, in one SQL statement */
  | { kind: 'require-running'; taskId: string; stepId: string; token: number }
  /** refuse the whole transaction when another task than this one is stored as holding the path */
  | { kind: 'require-unclaimed'; taskId: string; foldedPath: string }
  /** refuse the whole transaction when this task may still change: it has not ended, or is asked for something */
  | { kind: 'require-ended'; taskId: string }

/** How many connections a host was found to bear at once; it refused more. */
export interface HostLimit {
  /** as in `hostAddress`: `host` or `host:port` */
  host: string
  connections: number
  learntAt: number
}

/** `stale`: a requirement did not hold and nothing was written. */
export type CommitResult = { kind: 'committed' } | { kind: 'stale' }

/** A record that could not be read: set aside, reported, never dropped. Table `secrets`: one of this task's secrets. */
export interface QuarantinedRecord {
  table: string
  key: string
  reason: string
}

/**
 * Durable memory of the task system. One writer; a resolved `commit` is on the disk (synchronous=FULL).
 * Tasks whose request is `delete` are hidden from `list` and `idsOf` (also from totals and counts): a deleted
 * row is gone at once, though it is purged later. `remove-task` keeps the task's ended jobs: they are history.
 * Implementations group the commits that are asked for within one tick into one transaction, atomically each.
 */
export interface TaskStore {
  /** Live tasks (not terminal, or with a pending request) at start; unreadable ones are quarantined. */
  loadLive(): Promise<{ tasks: Task[]; quarantined: QuarantinedRecord[] }>
  /** One task whatever its state; undefined when there is none. */
  load(taskId: string): Promise<Task | undefined>
  loadMany(taskIds: readonly string[]): Promise<Task[]>
  /** All changes or none. Rejects with a `SluiceError` (`STORAGE_FULL`, `STORAGE_UNAVAILABLE`, `INTERNAL`). */
  commit(changes: readonly Change[]): Promise<CommitResult>
  /** The next fencing token: strictly increasing over the life of the database, durable before it resolves. */
  nextToken(): Promise<number>
  /** ids in the order of the query; `query.offset`/`limit` apply. Running and waiting order by rank under sort `queue`. */
  list(query: ListQuery): Promise<{ ids: string[]; total: number; counts: ListCounts }>
  /** ids of all tasks that a filter and a search show */
  idsOf(query: Pick<ListQuery, 'filter' | 'search'>): Promise<string[]>
  /** ids of visible tasks with this source (`sourceKey`), the newest first */
  tasksFrom(source: string): Promise<string[]>
  hostLimits(): Promise<HostLimit[]>
  /** ids of terminal tasks that ended before this time (ms) */
  terminalBefore(finishedAt: number): Promise<string[]>
  /** All claims on this folded path, in the order in which they were last put. */
  claimsOn(foldedPath: string): Promise<Claim[]>
  claimsOf(taskId: string): Promise<Claim[]>
  /** ended jobs, newest first */
  history(query: { limit: number; service?: string }): Promise<Job[]>
  job(jobId: string): Promise<Job | undefined>
  /** attempts of a task, newest first */
  attempts(taskId: string): Promise<Attempt[]>
  /** attempts without an end, oldest first: the previous life's, at start */
  openAttempts(): Promise<Attempt[]>
  loadSettings(): Promise<Partial<Settings>>
  /** Keeps the newest `keep` ended jobs. */
  trimHistory(keep: number): Promise<void>
  close(): Promise<void>
}

/** How a lease came to its end; told exactly once, after the end was observed. */
export type WorkerEnd =
  | { kind: 'returned' }
  | { kind: 'exited'; code: number | null; signal: string | null }
  /** the process was killed for the sake of another attempt in it */
  | { kind: 'evicted' }

/** A worker process leased to one attempt, or a place in one that short attempts share. */
export interface WorkerLease {
  readonly pid: number
  /** kernel start time of the process: with the pid it names one process for ever */
  readonly startTime: string
  send(message: HostMessage): void
  /**
   * Ends the lease, and with it the attempt in the worker. One that says that nothing of the attempt is left goes back
   * to the pool, and `onEnd` says `returned`; at once when its last outcome said so. One that does not say so stays
   * leased until it is killed.
   */
  release(): void
  /**
   * SIGKILL to the worker and to each recorded process group; `onEnd` follows when all are gone. Who shares the
   * worker is evicted.
   */
  kill(): void
}

/** Supervised processes that execute steps. */
export interface WorkerPool {
  /**
   * Leases an idle worker, a place beside attempts that are short, or a worker that is started. `alone`: nobody
   * shares the process, now or later. Messages are validated at this boundary; one that does not fit the
   * schema ends the worker (a broken worker is not reasoned with). Rejects when no process can be started.
   */
  acquire(
    handlers: {
      onMessage: (message: WorkerMessage) => void
      onEnd: (end: WorkerEnd) => void
    },
    wish?: 'alone',
  ): Promise<WorkerLease>
  /** Kills processes of a previous life that still are who they were, and waits until they are gone. */
  killRecorded(processes: readonly { pid: number; startTime: string }[]): Promise<void>
  close(): Promise<void>
}

/** What the domain needs to know and do about files; paths are absolute. */
export interface FileSystem {
  /** Creates the folder (and parents) and proves that it is writable; throws `STORAGE_UNAVAILABLE`. */
  ensureFolder(folder: string): Promise<void>
  /** Whether any entry (also a dangling link) has this name, compared folded (NFC, case). */
  isTaken(path: string): Promise<boolean>
  /**
   * The same, but a name that came up within the last second may be missed: for a file whose publishing will meet it.
   * Costs next to nothing for many names in one folder.
   */
  seemsTaken(path: string): Promise<boolean>
  /**
   * Makes the names in the folder durable, as far as its file system can; calls that come together share one sync.
   * Throws `STORAGE_UNAVAILABLE`, `STORAGE_FULL`.
   */
  syncFolder(folder: string): Promise<void>
  /** The file as it is now, null when there is none. `identity` as in `Output`. */
  describe(path: string): Promise<{ size: number; identity: string } | null>
  /** Deletes the file if it still is the one described; a missing or changed one is left, and said so. */
  deleteIfSame(
    path: string,
    expected: { size: number; identity: string },
  ): Promise<'deleted' | 'missing' | 'changed'>
  /** Removes a working folder with all in it; a missing one is fine. Never follows a link. */
  removeWorkingFolder(path: string): Promise<void>
  /** Removes a file under a name that is only given by us; a missing one is fine. Never follows a link. */
  removeFile(path: string): Promise<void>
  /** Free bytes for this user on the volume that holds the folder, and a name for that volume. */
  space(folder: string): Promise<{ freeBytes: number; volume: string }>
  join(folder: string, name: string): string
  /** Parts of a path: folder, and name split before the extension. */
  split(path: string): { folder: string; stem: string; extension: string }
  /** Moves a file without overwriting; throws `CONFLICT` when the target exists. */
  move(from: string, to: string): Promise<void>
}

/** What a held condition asks of the network: a connection, never a request. */
export interface NetworkProbe {
  /** `offline`: this machine has no network at all; `silent`: the host cannot be reached from here */
  probe(host: string, port: number): Promise<'answers' | 'silent' | 'offline'>
}

/** Encryption at rest for secret values. */
export interface SecretStore {
  seal(plain: string): string
  open(sealed: string): string
}

export interface Ports {
  clock: Clock
  random: Random
  store: TaskStore
  workers: WorkerPool
  files: FileSystem
  network: NetworkProbe
}
