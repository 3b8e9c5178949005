/** The in-memory store with the invariants in front of every commit; its calls take their turn. */
import { InMemoryTaskStore } from '../contracts/in-memory-task-store.ts'
import type { Change, Claim, CommitResult } from '../../src/core/ports.ts'
import type { Task } from '../../src/shared/task/model.ts'
import type { Interleaver } from './interleaver.ts'
import type { StoredInvariants } from './invariants.ts'

export interface CheckedStoreParts {
  readonly invariants: StoredInvariants
  readonly violations: unknown[]
  readonly interleaver: Interleaver
}

export class CheckedStore extends InMemoryTaskStore {
  readonly #parts: CheckedStoreParts

  constructor(parts: CheckedStoreParts, data?: ReturnType<InMemoryTaskStore['snapshot']>) {
    super(data)
    this.#parts = parts
  }

  override async commit(changes: readonly Change[]): Promise<CommitResult> {
    const { invariants, violations, interleaver } = this.#parts
    await interleaver.turn()
    // what is stored is replaced, never changed: the map alone has to be copied
    const before = new Map(this.peek().tasks)
    const result = await super.commit(changes)
    if (result.kind === 'committed') {
      try {
        invariants.transaction(changes, (id) => before.get(id))
      } catch (violation) {
        // Thrown here it would look like a full disk; the model looks at this list after every command.
        violations.push(violation)
      }
    }
    return result
  }

  override async load(taskId: string): Promise<Task | undefined> {
    await this.#parts.interleaver.turn()
    return super.load(taskId)
  }

  override async loadMany(taskIds: readonly string[]): Promise<Task[]> {
    await this.#parts.interleaver.turn()
    return super.loadMany(taskIds)
  }

  override async nextToken(): Promise<number> {
    await this.#parts.interleaver.turn()
    return super.nextToken()
  }

  override async claimsOn(foldedPath: string): Promise<Claim[]> {
    await this.#parts.interleaver.turn()
    return super.claimsOn(foldedPath)
  }

  override reopen(): CheckedStore {
    return new CheckedStore(this.#parts, super.reopen().snapshot())
  }
}
