/**
 * One command at a time per task. Work on several tasks waits for all of them; since a place in every line is
 * taken in one go, two such works meet in the same order everywhere and cannot wait for each other.
 */
export class TaskLines {
  readonly #ends = new Map<string, Promise<void>>()

  run<T>(taskId: string, work: () => Promise<T>): Promise<T> {
    return this.runMany([taskId], work)
  }

  async runMany<T>(taskIds: readonly string[], work: () => Promise<T>): Promise<T> {
    const ids = [...new Set(taskIds)]
    const earlier = ids.flatMap((id) => this.#ends.get(id) ?? [])
    const turn = Promise.withResolvers<undefined>()
    for (const id of ids) this.#ends.set(id, turn.promise)
    try {
      await Promise.all(earlier)
      return await work()
    } finally {
      turn.resolve(undefined)
      for (const id of ids) {
        if (this.#ends.get(id) === turn.promise) this.#ends.delete(id)
      }
    }
  }
}
