/** What a running step reports about itself without ending: durable bytes, facts of its source, readiness. */
import type { Step, Task } from '../../shared/task/model.ts'
import type { Checkpoint, ResourceFacts } from '../../shared/task/resource.ts'
import { durableBytes, withStep } from './steps.ts'

/** New durable bytes forgive earlier failures: only those in a row without any count. */
export function withCheckpoint(task: Task, stepId: string, checkpoint: Checkpoint): Task {
  const step = task.steps.find((candidate) => candidate.id === stepId)
  if (step?.state !== 'RUNNING') return task
  const durable = durableBytes(checkpoint)
  const grew = durable > durableBytes(step.checkpoint)
  const after = withStep(task, stepId, (held) => ({
    ...held,
    checkpoint,
    doneBytes: durable,
    fraction: held.size === null || held.size === 0 ? held.fraction : Math.min(1, durable / held.size),
    ...(grew ? { failures: 0, askedAgain: false } : {}),
  }))
  if (durable < durableBytes(step.checkpoint)) return { ...after, setBack: 'changed' }
  return grew ? { ...after, crashes: 0, networkPauses: 0 } : after
}

export interface ReportedFacts {
  readonly preemptible: boolean
  readonly resource: ResourceFacts | null
  readonly suggestedName: string | null
}

/** A name that the user gave stays; the one of the plan was a guess that the first response may correct. */
function withSuggestedName(task: Task, step: Step, name: string | null): Task {
  if (name === null || task.parameters.name !== null || step.kind !== 'download') return task
  const file = task.files.find((candidate) => candidate.id === step.fileId)
  if (file === undefined || file.name === name || step.checkpoint !== null) return task
  const files = task.files.map((held) => (held.id === file.id ? { ...held, name } : held))
  const title = task.files.length === 1 && task.title === file.name ? name : task.title
  return { ...task, files, title }
}

/** Whether the plan, or an earlier answer, said all of it: the usual case of a link that was just resolved. */
function saysNothingNew(step: Step, { preemptible, resource, suggestedName }: ReportedFacts): boolean {
  if (step.preemptible !== preemptible || suggestedName !== null) return false
  if (resource === null) return true
  const known = step.input.kind === 'fetch' ? step.input.source.facts : null
  return (
    known !== null &&
    known.finalUrl === resource.finalUrl &&
    known.length === resource.length &&
    known.validator?.kind === resource.validator?.kind &&
    known.validator?.value === resource.validator?.value &&
    known.acceptsRanges === resource.acceptsRanges &&
    known.contentType === resource.contentType &&
    known.checksum === resource.checksum &&
    (resource.length === null || step.size === resource.length)
  )
}

export function withFacts(task: Task, stepId: string, facts: ReportedFacts): Task {
  const step = task.steps.find((candidate) => candidate.id === stepId)
  if (step?.state !== 'RUNNING' || saysNothingNew(step, facts)) return task
  const length = facts.resource?.length ?? null
  const named = withSuggestedName(task, step, facts.suggestedName)
  const sized = withFileSize(named, step, length)
  return withStep(sized, stepId, (held) => ({
    ...held,
    preemptible: facts.preemptible,
    size: length ?? held.size,
    input:
      facts.resource !== null && held.input.kind === 'fetch'
        ? { ...held.input, source: { ...held.input.source, facts: facts.resource } }
        : held.input,
  }))
}

/** A plain file is as large as its one resource. */
function withFileSize(task: Task, step: Step, length: number | null): Task {
  if (length === null || step.kind !== 'download') return task
  const files = task.files.map((file) => (file.id === step.fileId ? { ...file, size: length } : file))
  return { ...task, files }
}

/** Both names are recorded before the worker may use the new one, so that start-up can settle it. */
export function withLeaveToPublish(task: Task, stepId: string, names: { from: string; to: string }): Task {
  return withStep(task, stepId, (step) => ({ ...step, publishing: names }))
}
