/**
 * Whether what has arrived may stay when the link of a task changes: the lengths are equal and no two strong
 * validators contradict each other. Where they do not both vouch for it, the worker has to prove it with bytes.
 */
import type { Plan, Step, Task } from '../../shared/task/model.ts'
import type { Source, Validator } from '../../shared/task/resource.ts'
import { durableBytes, stepsOfFile, withSteps } from './steps.ts'

function hasData(step: Step): boolean {
  return durableBytes(step.checkpoint) > 0 || step.output !== null
}

function heldLength(step: Step): number | null {
  const checkpoint = step.checkpoint?.kind === 'ranges' ? step.checkpoint.length : null
  const facts = step.input.kind === 'fetch' ? (step.input.source.facts?.length ?? null) : null
  return checkpoint ?? facts ?? step.size
}

function heldValidator(step: Step): Validator | null {
  if (step.checkpoint?.kind === 'ranges' && step.checkpoint.toBeProved === true) return null
  const checkpoint = step.checkpoint?.kind === 'ranges' ? step.checkpoint.validator : null
  return checkpoint ?? (step.input.kind === 'fetch' ? (step.input.source.facts?.validator ?? null) : null)
}

type Verdict = 'same' | 'to be proved' | 'another'

function compare(step: Step, fresh: Source): Verdict {
  const length = heldLength(step)
  if (length === null || fresh.facts?.length !== length) return 'another'
  const held = heldValidator(step)
  const { validator, acceptsRanges } = fresh.facts
  if (held === null || validator === null || held.kind !== validator.kind) {
    // Of a host that gives no part of a file none can be compared.
    return acceptsRanges ? 'to be proved' : 'another'
  }
  return held.value === validator.value ? 'same' : 'another'
}

/** One verdict per step with data, by its id; null when the plan has another shape. */
function verdicts(task: Task, plan: Plan): Map<string, Verdict> | null {
  const all = new Map<string, Verdict>()
  if (plan.files.length !== task.files.length) return null
  for (const file of task.files) {
    const steps = stepsOfFile(task, file.id)
    const planned = plan.files[file.index]?.steps ?? []
    if (planned.length !== steps.length) return null
    for (const [position, step] of steps.entries()) {
      const fresh = planned[position]
      if (fresh?.kind !== step.kind || fresh.stage !== step.stage) return null
      if (step.input.kind !== 'fetch' || fresh.input.kind !== 'fetch' || !hasData(step)) continue
      const verdict = compare(step, fresh.input.source)
      // Nobody works on a whole track any more who could compare it.
      all.set(step.id, verdict === 'to be proved' && step.output !== null ? 'another' : verdict)
    }
  }
  return all
}

export function keepsData(task: Task, plan: Plan): boolean {
  const found = verdicts(task, plan)
  return found !== null && [...found.values()].every((verdict) => verdict !== 'another')
}

/** Has the worker compare bytes before it goes on; the old validator is taken away, since it proves nothing here. */
export function withProofAsked(task: Task, plan: Plan): Task {
  const found = verdicts(task, plan)
  return withSteps(task, (step) =>
    found?.get(step.id) === 'to be proved' && step.checkpoint?.kind === 'ranges'
      ? { ...step, checkpoint: { ...step.checkpoint, validator: null, toBeProved: true } }
      : step,
  )
}
