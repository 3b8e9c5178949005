import type { Change, CommitResult } from '../../src/core/ports.ts'
import { SluiceError } from '../../src/shared/errors.ts'
import { InMemoryTaskStore } from '../contracts/in-memory-task-store.ts'

/** A store that takes a number of commits and then no more, as a host that dies in the middle would see it. */
export class FailingStore extends InMemoryTaskStore {
  #left = Infinity

  failAfter(commits: number): void {
    this.#left = commits
  }

  override commit(changes: readonly Change[]): Promise<CommitResult> {
    if (this.#left-- <= 0) return Promise.reject(new SluiceError('STORAGE_UNAVAILABLE', 'the host is dying'))
    return super.commit(changes)
  }

  override reopen(): FailingStore {
    return new FailingStore(super.reopen().snapshot())
  }
}
