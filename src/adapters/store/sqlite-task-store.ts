/** The task store over SQLite. Calls made while a batch is at the disk gather for the next one. */
import type {
  Change,
  Claim,
  CommitResult,
  HostLimit,
  QuarantinedRecord,
  TaskStore,
} from '../../core/ports.ts'
import { SluiceError } from '../../shared/errors.ts'
import { onQuietTurn } from '../../shared/quiet-turn.ts'
import { makeFolder } from '../make-folder.ts'
import type { Settings } from '../../shared/settings.ts'
import type { Attempt, Job, Task } from '../../shared/task/model.ts'
import type { ListCounts, ListQuery } from '../../shared/view.ts'
import { storageError } from './storage-error.ts'
import type { StoreAnswer, StoreCall, StoreResult } from './store-calls.ts'
import { directLine, threadLine } from './store-line.ts'
import type { StoreLine } from './store-line.ts'
import { TokenGiver } from './token-records.ts'

interface PendingCall {
  call: StoreCall
  settle: (answer: StoreAnswer) => void
}

/** A batch larger than this would hold back the answers of its first calls for too long. */
const mostCallsInABatch = 500

export class SqliteTaskStore implements TaskStore {
  readonly #line: StoreLine
  #waiting: PendingCall[] = []
  #atTheDisk: PendingCall[] = []
  #closing: Promise<void> | null = null
  #ended: SluiceError | null = null
  readonly #tokens = new TokenGiver(() => this.#ask({ method: 'reserveTokens' }))

  private constructor(line: StoreLine) {
    this.#line = line
    line.onAnswers((answers) => this.#answered(answers))
    line.onEnd((cause) => this.#end(cause))
  }

  /**
   * Opens or creates the database in this folder; a damaged one is recovered, which `loadLive` tells.
   * `backUpAfterMs` (30 s) is when, after the opening, it is seen to that there is a backup of this day;
   * `guardedKey` is what secrets are sealed with where the system has a key store, else it is in a file here;
   * `inThread` (true) gives the database a thread of its own.
   * @throws SluiceError `STORAGE_UNAVAILABLE`, `STORAGE_FULL`, `INTERNAL`
   */
  static async open(options: {
    dataFolder: string
    backUpAfterMs?: number
    guardedKey?: Uint8Array | null
    inThread?: boolean
  }): Promise<SqliteTaskStore> {
    const { dataFolder, backUpAfterMs = 30_000, guardedKey = null, inThread = true } = options
    try {
      await makeFolder(dataFolder, 0o700)
    } catch (error) {
      throw storageError(error)
    }
    const data = { dataFolder, backUpAfterMs, guardedKey }
    return new SqliteTaskStore(inThread ? await threadLine(data) : directLine(data))
  }

  loadLive(): Promise<{ tasks: Task[]; quarantined: QuarantinedRecord[] }> {
    return this.#ask({ method: 'loadLive' })
  }
  load(taskId: string): Promise<Task | undefined> {
    return this.#ask({ method: 'load', taskId })
  }
  loadMany(taskIds: readonly string[]): Promise<Task[]> {
    return this.#ask({ method: 'loadMany', taskIds })
  }
  commit(changes: readonly Change[]): Promise<CommitResult> {
    return this.#ask({ method: 'commit', changes })
  }
  async nextToken(): Promise<number> {
    this.#requireOpen()
    return this.#tokens.next()
  }
  list(query: ListQuery): Promise<{ ids: string[]; total: number; counts: ListCounts }> {
    return this.#ask({ method: 'list', query })
  }
  idsOf(query: Pick<ListQuery, 'filter' | 'search'>): Promise<string[]> {
    return this.#ask({ method: 'idsOf', query })
  }
  tasksFrom(source: string): Promise<string[]> {
    return this.#ask({ method: 'tasksFrom', source })
  }
  hostLimits(): Promise<HostLimit[]> {
    return this.#ask({ method: 'hostLimits' })
  }
  terminalBefore(finishedAt: number): Promise<string[]> {
    return this.#ask({ method: 'terminalBefore', finishedAt })
  }
  claimsOn(foldedPath: string): Promise<Claim[]> {
    return this.#ask({ method: 'claimsOn', foldedPath })
  }
  claimsOf(taskId: string): Promise<Claim[]> {
    return this.#ask({ method: 'claimsOf', taskId })
  }
  history(query: { limit: number; service?: string }): Promise<Job[]> {
    return this.#ask({ method: 'history', limit: query.limit, service: query.service })
  }
  job(jobId: string): Promise<Job | undefined> {
    return this.#ask({ method: 'job', jobId })
  }
  attempts(taskId: string): Promise<Attempt[]> {
    return this.#ask({ method: 'attempts', taskId })
  }
  openAttempts(): Promise<Attempt[]> {
    return this.#ask({ method: 'openAttempts' })
  }
  loadSettings(): Promise<Partial<Settings>> {
    return this.#ask({ method: 'loadSettings' })
  }
  trimHistory(keep: number): Promise<void> {
    return this.#ask({ method: 'trimHistory', keep })
  }

  /** Answers what was asked before, then closes the database. Further calls are refused. */
  close(): Promise<void> {
    if (this.#ended !== null) return Promise.resolve()
    this.#closing ??= this.#ask({ method: 'close' }).then(() => this.#line.ended())
    return this.#closing
  }

  #ask<M extends StoreCall['method']>(call: Extract<StoreCall, { method: M }>): Promise<StoreResult<M>> {
    return new Promise((resolve, reject) => {
      // what is thrown here rejects; `close` asks before it says that it closes
      this.#requireOpen()
      const settle = (answer: StoreAnswer) => {
        // the desk answers each method with its own result: `StoreResult` is that table
        if (answer.ok) resolve(answer.value as StoreResult<M>)
        else reject(SluiceError.fromRecord(answer.error))
      }
      this.#waiting.push({ call, settle })
      if (this.#waiting.length === 1) this.#sendSoon()
    })
  }

  /** @throws SluiceError `INTERNAL` when it is closed, or was ended by a fault */
  #requireOpen(): void {
    if (this.#ended !== null) throw this.#ended
    if (this.#closing !== null) throw new SluiceError('INTERNAL', 'The task list is closed')
  }

  /** When no turn asks for more: tasks that go side by side share a batch. */
  #sendSoon(): void {
    onQuietTurn(
      () => this.#waiting.length,
      setImmediate,
      () => this.#send(),
    )
  }

  #send(): void {
    if (this.#atTheDisk.length > 0 || this.#waiting.length === 0 || this.#ended !== null) return
    this.#atTheDisk = this.#waiting.splice(0, mostCallsInABatch)
    this.#line.send(this.#atTheDisk.map((pending) => pending.call))
  }

  #answered(answers: readonly StoreAnswer[]): void {
    const answered = this.#atTheDisk
    this.#atTheDisk = []
    // not at once: who hears an answer often asks the next thing because of it
    if (this.#waiting.length > 0) this.#sendSoon()
    for (const [index, pending] of answered.entries()) {
      const answer = answers[index]
      if (answer !== undefined) pending.settle(answer)
    }
  }

  #end(cause: unknown): void {
    this.#ended ??= new SluiceError('INTERNAL', 'The task list is closed', { cause })
    const error = this.#ended.toRecord()
    for (const pending of [...this.#atTheDisk, ...this.#waiting]) pending.settle({ ok: false, error })
    this.#atTheDisk = []
    this.#waiting = []
  }
}
