/**
 * Links of a plan have an age. A step whose link is refused asks the resolver for a fresh one, once, before the
 * answer counts. Only links that a resolver made can be made anew: the user's own are what they are.
 */
import type { Step, Task } from '../../shared/task/model.ts'
import type { StepEnd } from './step-end.ts'
import { resetStep, stepsOfFile, withStep } from './steps.ts'

/** Codes that a link answers when it is no longer, or not for us, what it was. */
function isRefusedLink(end: StepEnd): boolean {
  if (end.kind === 'failed') return ['AUTH_FAILED', 'NOT_FOUND', 'LINK_EXPIRED'].includes(end.error.code)
  return end.kind === 'paused' && end.cause?.kind === 'source'
}

function linksOf(task: Task): string[] {
  const { link } = task.parameters
  return link.kind === 'single' ? [link.url] : [link.video, link.audio]
}

/** The step that brought this step's link: of its own file, else of the task. */
function resolverOf(task: Task, step: Step): Step | undefined {
  const own = stepsOfFile(task, step.fileId).find((other) => other.kind === 'resolve')
  return own ?? stepsOfFile(task, null).find((other) => other.kind === 'resolve')
}

/** The task in which the resolver is asked again, null when it would bring the same link or was asked before. */
export function withFreshLinkAsked(task: Task, step: Step, end: StepEnd): Task | null {
  if (step.askedAgain || step.input.kind !== 'fetch' || !isRefusedLink(end)) return null
  const resolver = resolverOf(task, step)
  if (resolver?.state !== 'COMPLETED' || linksOf(task).includes(step.input.source.url)) return null
  const checkpoint = end.kind === 'paused' ? (end.checkpoint ?? step.checkpoint) : step.checkpoint
  const asking = withStep(task, step.id, (held) => ({
    ...held,
    state: 'WAITING',
    checkpoint,
    askedAgain: true,
  }))
  return withStep(asking, resolver.id, resetStep)
}

function isAskedFor(task: Task, resolver: Step): boolean {
  return task.steps.some(
    (step) =>
      step.askedAgain &&
      step.state === 'WAITING' &&
      (resolver.fileId === null || step.fileId === resolver.fileId),
  )
}

/**
 * A resolver that was asked again and failed, or brought something else: the old plan stands, and the next answer
 * of the link counts. Null when the plan is not one that was asked for again, or fits.
 */
export function withOldPlan(task: Task, resolver: Step, renewed: Task | null): Task | null {
  if (!isAskedFor(task, resolver)) return null
  const ids = new Set(task.steps.map((step) => step.id))
  const sameSteps =
    renewed?.steps.length === task.steps.length && renewed.steps.every((step) => ids.has(step.id))
  if (renewed !== null && sameSteps) return null
  return withStep(task, resolver.id, (step) => ({ ...resetStep(step), state: 'COMPLETED', fraction: 1 }))
}
