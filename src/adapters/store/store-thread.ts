/**
 * The thread that owns the database. It takes batches of calls; a batch that writes is one transaction in which
 * each call is atomic by a savepoint, so that all checkpoints of a tick cost one sync of the disk. Answers leave
 * only after the commit: what was answered is durable.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { QuarantinedRecord } from '../../core/ports.ts'
import { openDatabase, storageError } from './database.ts'
import type { Connection } from './database.ts'
import { ListRecords } from './list-records.ts'
import type { StoreAnswer, StoreBatch, StoreCall, StoreThreadMessage } from './store-calls.ts'
import { StaleCommit, TaskRecords } from './task-records.ts'

class StoreThread {
  readonly #db: Connection
  readonly #tasks: TaskRecords
  readonly #lists: ListRecords
  #foundDamaged: QuarantinedRecord[]

  constructor(dataFolder: string) {
    const opened = openDatabase(dataFolder, Date.now())
    this.#db = opened.database
    this.#foundDamaged = opened.quarantined
    this.#tasks = new TaskRecords(this.#db)
    this.#lists = new ListRecords(this.#db)
  }

  answer(batch: StoreBatch): StoreAnswer[] {
    const run = () => batch.calls.map((call) => this.#answerOne(call))
    const writes = batch.calls.some((call) => isWrite(call))
    try {
      return writes ? this.#db.transaction(run).immediate() : run()
    } catch (error) {
      // the commit itself failed: nothing of the batch is durable
      const record = storageError(error).toRecord()
      return batch.calls.map(() => ({ ok: false, error: record }))
    }
  }

  #answerOne(call: StoreCall): StoreAnswer {
    try {
      // nested: a savepoint, so that a call that fails undoes only itself
      const value = isWrite(call) ? this.#db.transaction(() => this.#run(call))() : this.#run(call)
      return { ok: true, value }
    } catch (error) {
      if (error instanceof StaleCommit) return { ok: true, value: { kind: 'stale' } }
      return { ok: false, error: storageError(error).toRecord() }
    }
  }

  #run(call: StoreCall): unknown {
    switch (call.method) {
      case 'loadLive':
        return this.#loadLive()
      case 'load':
        return this.#tasks.load(call.taskId)
      case 'loadMany':
        return call.taskIds.map((id) => this.#tasks.load(id)).filter((task) => task !== undefined)
      case 'commit':
        for (const change of call.changes) this.#tasks.apply(change)
        return { kind: 'committed' }
      case 'nextToken':
        return this.#db
          .prepare("UPDATE counters SET value = value + 1 WHERE name = 'token' RETURNING value")
          .pluck()
          .get()
      case 'list':
        return this.#lists.list(call.query)
      case 'idsOf':
        return this.#lists.idsOf(call.query)
      case 'terminalBefore':
        return this.#lists.terminalBefore(call.finishedAt)
      case 'claimsOn':
        return this.#tasks.claimsOn(call.foldedPath)
      case 'claimsOf':
        return this.#tasks.claimsOf(call.taskId)
      case 'history':
        return this.#tasks.history(call.limit, call.service)
      case 'job':
        return this.#tasks.job(call.jobId)
      case 'attempts':
        return this.#tasks.attempts(call.taskId)
      case 'openAttempts':
        return this.#tasks.openAttempts()
      case 'loadSettings':
        return this.#loadSettings()
      case 'trimHistory':
        this.#tasks.trimHistory(call.keep)
        return undefined
      case 'close':
        return undefined
    }
  }

  #loadLive(): { tasks: unknown[]; quarantined: QuarantinedRecord[] } {
    const { tasks, quarantined } = this.#tasks.loadLive()
    const all = [...this.#foundDamaged, ...quarantined]
    this.#foundDamaged = []
    return { tasks, quarantined: all }
  }

  #loadSettings(): unknown {
    const row = this.#db.prepare<[], { body: string }>('SELECT body FROM settings').get()
    return row === undefined ? {} : JSON.parse(row.body)
  }

  close(): void {
    this.#db.pragma('wal_checkpoint(TRUNCATE)')
    this.#db.close()
  }
}

function isWrite(call: StoreCall): boolean {
  return ['commit', 'nextToken', 'trimHistory', 'loadLive'].includes(call.method)
}

function main(): void {
  const port = parentPort
  if (port === null) throw new Error('the store runs in a thread of its own')
  const send = (message: StoreThreadMessage) => port.postMessage(message)
  let thread: StoreThread
  try {
    thread = new StoreThread((workerData as { dataFolder: string }).dataFolder)
  } catch (error) {
    send({ kind: 'not-opened', error: storageError(error).toRecord() })
    port.close()
    return
  }
  send({ kind: 'opened' })
  port.on('message', (batch: StoreBatch) => {
    const answers = thread.answer(batch)
    if (batch.calls.some((call) => call.method === 'close')) {
      thread.close()
      send({ kind: 'answers', answers })
      port.close()
      return
    }
    send({ kind: 'answers', answers })
  })
}

main()
