/** Runs one step executor in this process, with a context that remembers what was reported. */
import type { StepFacts, StepProgress, StopHow } from '../../src/worker/step-executor.ts'
import type { StepContext } from '../../src/worker/step-executor.ts'
import type { Checkpoint } from '../../src/shared/task/resource.ts'

export interface StepHarness {
  context: StepContext
  stop: (how: StopHow) => void
  progress: StepProgress[]
  checkpoints: Checkpoint[]
  facts: StepFacts[]
  /** pids of recorded process groups */
  children: number[]
}

/** @param publishTo the name that is granted */
export function stepHarness(publishTo: string, onChild: (pid: number) => void = () => null): StepHarness {
  const stop = new AbortController()
  const harness: Omit<StepHarness, 'context' | 'stop'> = {
    progress: [],
    checkpoints: [],
    facts: [],
    children: [],
  }
  return {
    ...harness,
    stop: (how) => stop.abort(how),
    context: {
      stepId: 'step',
      failures: 0,
      signal: stop.signal,
      limits: () => ({ connections: 4, bytesPerSecond: null, retryBudget: 5, stallTimeoutMs: 10_000 }),
      onLimits: () => () => null,
      reportProgress: (progress) => void harness.progress.push(progress),
      reportCheckpoint: (checkpoint) => void harness.checkpoints.push(checkpoint),
      reportFacts: (facts) => void harness.facts.push(facts),
      requestPublish: () => Promise.resolve({ kind: 'publish', to: publishTo }),
      recordChild: (pid) => {
        harness.children.push(pid)
        onChild(pid)
        return Promise.resolve()
      },
    },
  }
}
