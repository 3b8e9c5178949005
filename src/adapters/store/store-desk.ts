/**
 * What owns the database. It takes batches of calls; a batch that writes is one transaction in which each call is
 * atomic, so that all checkpoints of a tick cost one sync of the disk. Answers leave only after the commit: what was
 * answered is durable.
 */
import type { Change, CommitResult, SecretStore } from '../../core/ports.ts'
import { KeyedSecretStore } from '../keyed-secret-store.ts'
import { existingPlainKey, openPlainKey } from '../secret-key.ts'
import { backUp, backupAgeMs, backupIntervalMs } from './backup.ts'
import { ClaimRecords } from './claim-records.ts'
import type { Connection } from './connection.ts'
import { closeDatabase, databasePath, openDatabase, recoverDatabase } from './database.ts'
import { HostLimitRecords } from './host-limit-records.ts'
import { JobRecords } from './job-records.ts'
import { ListRecords } from './list-records.ts'
import { Quarantine } from './quarantine.ts'
import { SealedSecrets } from './sealed-secrets.ts'
import { SettingRecords } from './setting-records.ts'
import { isDamage, storageError } from './storage-error.ts'
import type { StoreAnswer, StoreCall, StoreDeskData } from './store-calls.ts'
import { TaskRecords } from './task-records.ts'
import { TokenRecords } from './token-records.ts'

/** Thrown inside a batch to undo all of it: one of its calls failed, and has to be undone alone. */
class CallFailed extends Error {}

/** A list that was used without the system's key store has a key of its own beside. */
function secretStore(dataFolder: string, guardedKey: Uint8Array | null): SecretStore {
  if (guardedKey === null) return new KeyedSecretStore([openPlainKey(dataFolder)])
  const plain = existingPlainKey(dataFolder)
  return new KeyedSecretStore(plain === null ? [guardedKey] : [guardedKey, plain])
}

const writing: ReadonlySet<StoreCall['method']> = new Set([
  'commit',
  'reserveTokens',
  'trimHistory',
  'loadLive',
])

function writes({ method }: StoreCall): boolean {
  return writing.has(method)
}

/** Everything that lives as long as one connection. */
class Records {
  readonly db: Connection
  readonly quarantine: Quarantine
  readonly tasks: TaskRecords
  readonly jobs: JobRecords
  readonly claims: ClaimRecords
  readonly settings: SettingRecords
  readonly lists: ListRecords
  readonly hostLimits: HostLimitRecords
  readonly tokens: TokenRecords

  constructor(db: Connection, secrets: SealedSecrets) {
    this.db = db
    this.quarantine = new Quarantine(db)
    this.tasks = new TaskRecords(db, this.quarantine, secrets)
    this.jobs = new JobRecords(db, this.quarantine)
    this.claims = new ClaimRecords(db)
    this.settings = new SettingRecords(db, this.quarantine)
    this.lists = new ListRecords(db)
    this.hostLimits = new HostLimitRecords(db)
    this.tokens = new TokenRecords(db)
  }

  /**
   * Requirements are asked of what was stored before, wherever they stand among the changes: what is stale writes
   * nothing.
   */
  #commit(changes: readonly Change[]): CommitResult {
    if (!changes.every((change) => this.#holds(change))) return { kind: 'stale' }
    for (const change of changes) this.#apply(change)
    return { kind: 'committed' }
  }

  /** Whether nothing that the change requires is missing. */
  #holds(change: Change): boolean {
    if (change.kind === 'require-running') {
      return this.tasks.isRunning(change.taskId, change.stepId, change.token)
    }
    if (change.kind === 'require-unclaimed') {
      return !this.claims.isHeldBesides(change.taskId, change.foldedPath)
    }
    if (change.kind === 'require-ended') return !this.tasks.isLive(change.taskId)
    return true
  }

  #apply(change: Change): void {
    switch (change.kind) {
      case 'put-task':
        this.tasks.put(change.task)
        break
      case 'remove-task':
        this.tasks.remove(change.taskId)
        this.claims.put(change.taskId, [])
        this.jobs.forgetTask(change.taskId)
        break
      case 'put-job':
        this.jobs.putJob(change.job)
        break
      case 'remove-job':
        this.jobs.removeJob(change.jobId)
        break
      case 'put-attempt':
        this.jobs.putAttempt(change.attempt)
        break
      case 'put-claims':
        this.claims.put(change.taskId, change.claims)
        break
      case 'put-settings':
        this.settings.put(change.settings)
        break
      case 'put-host-limit':
        this.hostLimits.put(change.limit)
        break
      case 'require-running':
      case 'require-unclaimed':
      case 'require-ended':
        break
    }
  }

  run(call: StoreCall): unknown {
    switch (call.method) {
      case 'loadLive': {
        const tasks = this.tasks.loadLive()
        this.quarantine.setAside()
        return { tasks, quarantined: this.quarantine.takeUntold() }
      }
      case 'load':
        return this.tasks.load(call.taskId)
      case 'loadMany':
        return call.taskIds.map((id) => this.tasks.load(id)).filter((task) => task !== undefined)
      case 'commit':
        return this.#commit(call.changes)
      case 'reserveTokens':
        return this.tokens.reserve()
      case 'list':
        return this.lists.list(call.query)
      case 'idsOf':
        return this.lists.idsOf(call.query)
      case 'tasksFrom':
        return this.lists.from(call.source)
      case 'hostLimits':
        return this.hostLimits.all()
      case 'terminalBefore':
        return this.lists.terminalBefore(call.finishedAt)
      case 'claimsOn':
        return this.claims.on(call.foldedPath)
      case 'claimsOf':
        return this.claims.of(call.taskId)
      case 'history':
        return this.jobs.history(call.limit, call.service)
      case 'job':
        return this.jobs.job(call.jobId)
      case 'attempts':
        return this.jobs.attempts(call.taskId)
      case 'openAttempts':
        return this.jobs.openAttempts()
      case 'loadSettings':
        return this.settings.load()
      case 'trimHistory':
        this.jobs.trimHistory(call.keep)
        return undefined
      case 'close':
        return undefined
    }
  }
}

export class StoreDesk {
  readonly #dataFolder: string
  readonly #secrets: SealedSecrets
  readonly #backup: NodeJS.Timeout
  #records: Records
  #isClosing = false

  /** Opens or creates the database. @throws SluiceError `STORAGE_UNAVAILABLE`, `STORAGE_FULL`, `INTERNAL` */
  constructor({ dataFolder, backUpAfterMs, guardedKey }: StoreDeskData) {
    this.#dataFolder = dataFolder
    this.#secrets = new SealedSecrets(() => secretStore(dataFolder, guardedKey))
    try {
      this.#records = new Records(openDatabase(dataFolder, Date.now()), this.#secrets)
    } catch (error) {
      throw storageError(error)
    }
    this.#backup = setTimeout(() => void this.#backUpWhenDue(), backUpAfterMs)
  }

  /** Answers in the order of the calls. `close` is the last call of all. */
  answer(calls: readonly StoreCall[]): StoreAnswer[] {
    const answers = this.#answerAll(calls)
    if (calls.some((call) => call.method === 'close')) this.#close()
    return answers
  }

  #answerAll(calls: readonly StoreCall[]): StoreAnswer[] {
    try {
      const answers = this.#tryBatch(calls)
      this.#setAsideUnreadable()
      return answers
    } catch (error) {
      // the transaction itself failed: nothing of the batch is durable
      this.#records.lists.rolledBack()
      // what is known beside the disk may be of what was undone
      this.#records.tasks.forget()
      const record = storageError(error).toRecord()
      return calls.map(() => ({ ok: false, error: record }))
    }
  }

  /** Damage can be met by any call, long after the opening; what can be recovered answers then. */
  #tryBatch(calls: readonly StoreCall[]): StoreAnswer[] {
    try {
      return this.#runBatch(calls)
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#recover()
      return this.#runBatch(calls)
    }
  }

  #recover(): void {
    this.#records.db.close()
    this.#records = new Records(recoverDatabase(this.#dataFolder, Date.now()), this.#secrets)
  }

  #runBatch(calls: readonly StoreCall[]): StoreAnswer[] {
    if (!calls.some(writes)) return calls.map((call) => this.#read(call))
    try {
      return this.#inTransaction(() =>
        calls.map((call) => (writes(call) ? this.#write(call) : this.#read(call))),
      )
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      this.#records.lists.rolledBack()
      return this.#inTransaction(() => calls.map((call) => this.#answerAlone(call)))
    }
  }

  #inTransaction(run: () => StoreAnswer[]): StoreAnswer[] {
    return this.#records.db.transaction(run).immediate()
  }

  #read(call: StoreCall): StoreAnswer {
    try {
      return { ok: true, value: this.#records.run(call) }
    } catch (error) {
      if (isDamage(error)) throw error
      return { ok: false, error: storageError(error).toRecord() }
    }
  }

  /**
   * Without a savepoint: it would keep a copy of every page that the call changes, and cost more than the call, for an
   * undoing that hardly ever comes.
   */
  #write(call: StoreCall): StoreAnswer {
    try {
      return { ok: true, value: this.#records.run(call) }
    } catch (error) {
      this.#requireUndoable(error)
      throw new CallFailed()
    }
  }

  /** A call that fails undoes only itself. */
  #answerAlone(call: StoreCall): StoreAnswer {
    if (!writes(call)) return this.#read(call)
    try {
      // nested: a savepoint
      return { ok: true, value: this.#records.db.transaction(() => this.#records.run(call))() }
    } catch (error) {
      this.#requireUndoable(error)
      return { ok: false, error: storageError(error).toRecord() }
    }
  }

  /**
   * A full disk and an I/O error make SQLite roll back the whole transaction, not only a savepoint: a call that ran
   * after that would commit alone and be answered as failed with the others.
   * @throws the error when it is of that kind
   */
  #requireUndoable(error: unknown): void {
    this.#records.tasks.forget()
    if (isDamage(error) || !this.#records.db.inTransaction) throw error
  }

  #setAsideUnreadable(): void {
    const { db, quarantine } = this.#records
    if (quarantine.isEmpty) return
    try {
      db.transaction(() => quarantine.setAside()).immediate()
    } catch {
      // it stays where it is, is met again by the next reader, and is set aside when the disk takes writes
    }
  }

  /** Once a day; damage that the check of the copy finds is recovered from at once. */
  async #backUpWhenDue(): Promise<void> {
    const path = databasePath(this.#dataFolder)
    if (backupAgeMs(path, Date.now()) < backupIntervalMs) return
    const { db } = this.#records
    try {
      await backUp(db, path, () => !this.#isClosing && this.#records.db === db)
    } catch (error) {
      if (isDamage(error) && this.#records.db === db) this.#recover()
      // else the drive is full or away: the next start tries again, and commits say so themselves
    }
  }

  #close(): void {
    this.#isClosing = true
    clearTimeout(this.#backup)
    closeDatabase(this.#records.db)
  }
}
