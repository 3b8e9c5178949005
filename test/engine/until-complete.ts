import type { Checkpoint } from '../../src/shared/task/resource.ts'
import { checkpointOf, summary } from './harness.ts'
import type { Rig, Run } from './harness.ts'

/** Attempts after which a download that is not complete never will be. */
const mostAttempts = 25

/** Begins a step again where it stopped, each time with a fresh engine, until it is complete. Answers how it ended. */
export async function untilComplete(
  rig: Rig,
  attempts: {
    start: (checkpoint: Checkpoint | null) => Run
    /** bytes after which each attempt is paused; the rest of the attempts run freely */
    pauses: readonly number[]
    /** resolves when so many have arrived; may reject when they do not */
    arrived: (run: Run, bytes: number) => Promise<unknown>
  },
): Promise<string> {
  let checkpoint: Checkpoint | null = null
  let said = ''
  for (let attempt = 0; attempt < mostAttempts && said !== 'completed'; attempt++) {
    const run = attempts.start(checkpoint)
    const bytes = attempts.pauses[attempt]
    if (bytes !== undefined) {
      await Promise.race([attempts.arrived(run, bytes).catch(() => null), run.outcome])
      run.stop()
    }
    const outcome = await run.outcome
    said = summary(outcome)
    checkpoint = checkpointOf(outcome)
    rig.restartEngine()
  }
  return said
}
