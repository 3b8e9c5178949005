/** The host quits: every attempt stops at a checkpoint under a durable `exit`, what does not stop is killed. */
import type { Clock } from '../ports.ts'
import type { Run } from '../runner/run.ts'
import type { Runs } from '../runner/runs.ts'
import { ask } from '../transition/operate.ts'
import type { TransitionContext } from '../transition/transition.ts'
import type { TaskLines } from './task-lines.ts'
import type { TaskMemory } from './task-memory.ts'
import type { TaskWriter } from './task-writer.ts'

const afterKillMs = 3000
const pollMs = 20

export interface ShutdownParts {
  readonly clock: Clock
  readonly lines: TaskLines
  readonly runs: Runs
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  context(): TransitionContext
  onFault(taskId: string | null, error: unknown): void
}

export class Shutdown {
  readonly #parts: ShutdownParts

  constructor(parts: ShutdownParts) {
    this.#parts = parts
  }

  /** Resolves when no attempt is left, at the latest `graceMs` and a moment for the kills later. */
  async run(graceMs: number): Promise<void> {
    const { runs, memory } = this.#parts
    // The head is taken by the last one: in descending order the oldest attempt comes first again.
    const order = runs.all().toSorted((a, b) => b.token - a.token)
    for (const run of order) {
      run.abandoned = true
      void this.#askToExit(run, memory.ranks.head())
    }
    await this.#whenEmpty(graceMs)
    for (const run of runs.all()) {
      run.fault ??= 'stopped'
      run.lease?.kill()
    }
    await this.#whenEmpty(afterKillMs)
  }

  async #askToExit(run: Run, rank: number): Promise<void> {
    const { lines, memory, writer } = this.#parts
    await lines
      .run(run.taskId, async () => {
        const task = memory.live(run.taskId)
        if (task?.attempt?.token !== run.token) return
        const context = this.#parts.context()
        const decision = ask(task, { kind: 'exit', at: context.now, rank }, context)
        if (decision.kind === 'accepted') {
          await writer.write([{ before: task, transition: decision.transition }])
        }
      })
      .catch((thrown: unknown) => this.#parts.onFault(run.taskId, thrown))
  }

  #whenEmpty(ms: number): Promise<void> {
    const { clock, runs } = this.#parts
    const deadline = clock.monotonic() + ms
    return new Promise((resolve) => {
      const look = () => {
        if (runs.size === 0 || clock.monotonic() >= deadline) resolve()
        else clock.after(pollMs, look)
      }
      look()
    })
  }
}
