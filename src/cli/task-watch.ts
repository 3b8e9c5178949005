/** The tasks of a command, followed by the events of the service and told to the reporter. */
import type { Client, SendEvent, TaskService } from '../core/service.ts'
import type { CommandInput, CommandResult, Commands } from '../shared/contract/commands.ts'
import type { Events } from '../shared/contract/events.ts'
import { SluiceError } from '../shared/errors.ts'
import type { ListQuery, TaskRow } from '../shared/view.ts'
import type { Reporter } from './reporter.ts'

/** rows per question; what is beyond them in the queue has nothing to tell yet */
const page = 500
const watchedRows = 100

const everything: ListQuery = {
  filter: 'all',
  search: '',
  sort: 'queue',
  order: 'asc',
  offset: 0,
  limit: watchedRows,
}

export class TaskWatch {
  readonly #reporter: Reporter
  readonly #client: Client
  readonly #rows = new Map<string, TaskRow>()

  constructor(service: TaskService, reporter: Reporter) {
    this.#reporter = reporter
    const send: SendEvent = (name, event) => {
      if (name === 'list.window' && 'rows' in event) this.tell(event.rows)
      if (name === 'tasks.changed' && 'patches' in event) this.#patch(event.patches)
    }
    this.#client = service.connect(send)
  }

  /** A command of the contract; its error is thrown. */
  async call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    const answer = await this.#client.call(name, input)
    if (!answer.ok) throw SluiceError.fromRecord(answer.error)
    // the service answers each command with its own result: `CommandResult` is that table
    return answer.value as CommandResult<N>
  }

  /** From now on the reporter hears of the tasks that run and of those that come next. */
  async follow(): Promise<void> {
    const answer = await this.#client.watchList(everything)
    if (!answer.ok) throw SluiceError.fromRecord(answer.error)
  }

  /** All tasks as they are now, oldest first. */
  async allRows(): Promise<TaskRow[]> {
    const rows: TaskRow[] = []
    for (;;) {
      const query: ListQuery = { ...everything, sort: 'created', offset: rows.length, limit: page }
      const window = await this.call('list.query', query)
      rows.push(...window.rows)
      if (window.rows.length === 0 || rows.length >= window.total) return rows
    }
  }

  /** Whether every task is complete: for who needs no rows, since making thousands of them takes a while. */
  async isAllComplete(): Promise<boolean> {
    // a window beyond the end has the counts, and no row
    const beyond = { ...everything, offset: Number.MAX_SAFE_INTEGER }
    const { total, counts } = await this.call('list.query', beyond)
    return counts.completed === total
  }

  tell(rows: readonly TaskRow[]): void {
    for (const row of rows) {
      this.#rows.set(row.id, row)
      this.#reporter.changed(row)
    }
  }

  close(): void {
    this.#client.close()
  }

  #patch(patches: Events['tasks.changed']['patches']): void {
    for (const patch of patches) {
      const row = this.#rows.get(patch.id)
      if (row !== undefined) this.tell([Object.assign({}, row, patch)])
    }
  }
}
