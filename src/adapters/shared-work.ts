/**
 * Work that serves everyone who asked for it before it began, such as a sync of a folder: those who ask while it runs
 * share the next run, since the present one may have passed what they mean.
 */
interface Running<T> {
  /** fulfilled when it has ended, whatever became of it */
  ended: Promise<void>
  next: Promise<T> | null
}

export class SharedWork<T> {
  readonly #work: (key: string) => Promise<T>
  readonly #running = new Map<string, Running<T>>()

  constructor(work: (key: string) => Promise<T>) {
    this.#work = work
  }

  /** Resolves or rejects with a run for this key that begins after the call. */
  run(key: string): Promise<T> {
    const running = this.#running.get(key)
    if (running === undefined) return this.#begin(key)
    running.next ??= running.ended.then(() => this.#begin(key))
    return running.next
  }

  #begin(key: string): Promise<T> {
    const result = this.#work(key)
    const over = () => {
      if (this.#running.get(key) === running) this.#running.delete(key)
    }
    const running: Running<T> = { ended: result.then(over, over), next: null }
    this.#running.set(key, running)
    return result
  }
}
