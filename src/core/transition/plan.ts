/** A plan becomes files and steps; a plan that comes again renews the sources and keeps what is done. */
import type { Plan, PlannedFile, PlannedStep, Step, Task, TaskFile } from '../../shared/task/model.ts'
import { resetStep, stepsOfFile, untouched } from './steps.ts'
import type { TransitionContext } from './transition.ts'

export function plannedStep(planned: PlannedStep, fileId: string | null, index: number, id: string): Step {
  return {
    id,
    fileId,
    index,
    kind: planned.kind,
    stage: planned.stage,
    optional: planned.optional,
    label: planned.label,
    weight: planned.weight,
    input: planned.input,
    size: planned.size,
    ...untouched(planned.kind),
  }
}

/** The step that every task begins with. */
export function resolveStep(id: string): Step {
  return plannedStep(
    {
      kind: 'resolve',
      stage: 0,
      optional: false,
      label: '',
      weight: 1,
      size: null,
      input: { kind: 'resolve' },
    },
    null,
    0,
    id,
  )
}

function sameShape(steps: readonly Step[], planned: readonly PlannedStep[]): boolean {
  return (
    steps.length === planned.length &&
    planned.every((step, index) => {
      const held = steps[index]
      return held !== undefined && held.kind === step.kind && held.stage === step.stage
    })
  )
}

/** The step with a fresh source; what has arrived stays, and the worker proves that it still fits. */
function renewed(step: Step, planned: PlannedStep): Step {
  return {
    ...step,
    input: planned.input,
    label: planned.label,
    weight: planned.weight,
    optional: planned.optional,
    size: planned.size ?? step.size,
  }
}

/** Steps of a file after a plan: renewed when the shape is the same, otherwise new and from zero. */
function stepsAfter(
  held: readonly Step[],
  planned: readonly PlannedStep[],
  fileId: string,
  firstIndex: number,
  ctx: TransitionContext,
): Step[] {
  if (sameShape(held, planned)) {
    return held.map((step, index) => {
      const fresh = planned[index]
      return fresh === undefined ? step : renewed(step, fresh)
    })
  }
  return planned.map((step, index) => plannedStep(step, fileId, firstIndex + index, ctx.newId()))
}

/** At least one file stays selected, whatever the resolver preferred. */
function withSomeSelected(files: TaskFile[]): TaskFile[] {
  if (files.some((file) => file.selected)) return files
  return files.map((file) => ({ ...file, selected: true }))
}

/** The file of the same place and name, or of the same place when the number of files is the same. */
function heldFile(task: Task, planned: PlannedFile, index: number, sameCount: boolean): TaskFile | undefined {
  const held = task.files.find((file) => file.index === index)
  if (held === undefined) return undefined
  return sameCount || held.name === planned.name ? held : undefined
}

/** The task after its own `resolve` brought this plan. Selection and names that are held stay. */
export function withPlan(task: Task, plan: Plan, ctx: TransitionContext): Task {
  const sameCount = task.files.length === plan.files.length
  const files: TaskFile[] = []
  const steps = stepsOfFile(task, null)
  plan.files.forEach((planned, index) => {
    const held = heldFile(task, planned, index, sameCount)
    const id = held?.id ?? ctx.newId()
    files.push({
      id,
      index,
      name: held?.name ?? planned.name,
      size: planned.size ?? held?.size ?? null,
      selected: held?.selected ?? planned.selected,
    })
    const heldSteps = held === undefined ? [] : stepsOfFile(task, held.id)
    steps.push(...stepsAfter(heldSteps, planned.steps, id, 0, ctx))
  })
  return { ...task, title: plan.title, service: plan.service, files: withSomeSelected(files), steps }
}

/** The task after the `resolve` of one entry of a playlist brought that entry's plan. */
export function withEntryPlan(task: Task, resolve: Step, plan: Plan, ctx: TransitionContext): Task {
  const planned = plan.files[0]
  const fileId = resolve.fileId
  if (planned === undefined || fileId === null) return task
  const held = stepsOfFile(task, fileId).filter((step) => step.stage > resolve.stage)
  const offset = resolve.index + 1
  const later = planned.steps.map((step) => ({
    ...step,
    stage: step.stage + resolve.stage + 1,
    // The entry's plan counts its own steps from zero; in the file they come after its resolve.
    input:
      step.input.kind === 'mux'
        ? { ...step.input, inputs: step.input.inputs.map((position) => position + offset) }
        : step.input,
  }))
  const after = stepsAfter(held, later, fileId, offset, ctx)
  const steps: Step[] = []
  for (const step of task.steps) {
    if (held.includes(step)) continue
    steps.push(step)
    if (step.id === resolve.id) steps.push(...after)
  }
  const files = task.files.map((file) =>
    file.id === fileId ? { ...file, name: planned.name, size: planned.size ?? file.size } : file,
  )
  return { ...task, files, steps }
}

/** Every step of the task from zero; the resolver is asked again, since links age. */
export function fromZero(task: Task): Task {
  return { ...task, steps: task.steps.map(resetStep) }
}
