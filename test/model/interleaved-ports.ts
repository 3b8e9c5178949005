/** Fakes whose calls take their turn, so that what happens at once happens in every order. */
import type { WorkerLease } from '../../src/core/ports.ts'
import { FakeFiles } from '../fakes/fake-files.ts'
import { FakeWorkerPool } from '../fakes/fake-workers.ts'
import type { Interleaver } from './interleaver.ts'

export class InterleavedFiles extends FakeFiles {
  readonly #interleaver: Interleaver

  constructor(interleaver: Interleaver) {
    super()
    this.#interleaver = interleaver
  }

  override async ensureFolder(folder: string): Promise<void> {
    await this.#interleaver.turn()
    return super.ensureFolder(folder)
  }

  override async isTaken(path: string): Promise<boolean> {
    await this.#interleaver.turn()
    return super.isTaken(path)
  }

  /** As if everything had come up just now. */
  override async seemsTaken(): Promise<boolean> {
    await this.#interleaver.turn()
    return false
  }

  override async describe(path: string): ReturnType<FakeFiles['describe']> {
    await this.#interleaver.turn()
    return super.describe(path)
  }

  override async deleteIfSame(
    ...given: Parameters<FakeFiles['deleteIfSame']>
  ): ReturnType<FakeFiles['deleteIfSame']> {
    await this.#interleaver.turn()
    return super.deleteIfSame(...given)
  }

  override async removeWorkingFolder(path: string): Promise<void> {
    await this.#interleaver.turn()
    return super.removeWorkingFolder(path)
  }

  override async removeFile(path: string): Promise<void> {
    await this.#interleaver.turn()
    return super.removeFile(path)
  }

  override async space(folder: string): ReturnType<FakeFiles['space']> {
    await this.#interleaver.turn()
    return super.space(folder)
  }
}

export class InterleavedPool extends FakeWorkerPool {
  readonly #interleaver: Interleaver

  constructor(interleaver: Interleaver, firstPid?: number) {
    super(firstPid)
    this.#interleaver = interleaver
  }

  override async acquire(...given: Parameters<FakeWorkerPool['acquire']>): Promise<WorkerLease> {
    await this.#interleaver.turn()
    return super.acquire(...given)
  }
}
