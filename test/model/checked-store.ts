/** The in-memory store with the invariants in front of every commit. */
import { InMemoryTaskStore } from '../contracts/in-memory-task-store.ts'
import type { Change, CommitResult } from '../../src/core/ports.ts'
import type { StoredInvariants } from './invariants.ts'

export class CheckedStore extends InMemoryTaskStore {
  readonly #invariants: StoredInvariants
  readonly #violations: unknown[]

  constructor(
    invariants: StoredInvariants,
    violations: unknown[],
    data?: ReturnType<InMemoryTaskStore['snapshot']>,
  ) {
    super(data)
    this.#invariants = invariants
    this.#violations = violations
  }

  override async commit(changes: readonly Change[]): Promise<CommitResult> {
    const ids = changes.flatMap((change) => (change.kind === 'put-task' ? [change.task.id] : []))
    const before = new Map((await super.loadMany(ids)).map((task) => [task.id, task]))
    const result = await super.commit(changes)
    if (result.kind === 'committed') {
      try {
        this.#invariants.transaction(changes, (id) => before.get(id))
      } catch (violation) {
        // Thrown here it would look like a full disk; the model looks at this list after every command.
        this.#violations.push(violation)
      }
    }
    return result
  }

  override reopen(): CheckedStore {
    return new CheckedStore(this.#invariants, this.#violations, super.reopen().snapshot())
  }
}
