/**
 * Progress of a task from its steps. Tracks are weighted by bytes, by their planned weight while those are
 * unknown. With a mux, tracks fill 0–90 and the mux 90–100; without one, 0–100. Held at 99.9 until everything
 * has its name; 100 exactly when complete.
 */
import { isComplete, taskState } from './derive.ts'
import type { Step, Task, TaskFile } from './model.ts'

/** Live figures of a step, where an attempt works on it. */
export interface LiveFigures {
  readonly doneBytes: number
  readonly size: number | null
  readonly fraction: number
}

export type FiguresOf = (stepId: string) => LiveFigures | undefined

const shareOfTracks = 0.9
const highestIncomplete = 99.9

export function stepDoneBytes(step: Step, figures: FiguresOf): number {
  return figures(step.id)?.doneBytes ?? step.doneBytes
}

export function stepSize(step: Step, figures: FiguresOf): number | null {
  return figures(step.id)?.size ?? step.size
}

/** 0–1; 1 exactly when the step is complete or skipped. */
export function stepFraction(step: Step, figures: FiguresOf): number {
  if (isComplete(step.state)) return 1
  const size = stepSize(step, figures)
  const reported = figures(step.id)?.fraction ?? step.fraction
  const done = size === null || size === 0 ? reported : stepDoneBytes(step, figures) / size
  return Math.min(0.999, Math.max(0, done))
}

/** Steps that move a file forward in the eyes of the user; looking things up does not. */
function working(steps: readonly Step[]): Step[] {
  return steps.filter((step) => step.kind !== 'resolve')
}

function makesFile(step: Step): boolean {
  return step.kind === 'mux' || step.kind === 'convert'
}

/** Weight of each track: bytes when all are known, else what the plan said. */
function weightsOf(tracks: readonly Step[], figures: FiguresOf): number[] {
  const sizes = tracks.map((step) => stepSize(step, figures))
  const known = sizes.every((size) => size !== null && size > 0)
  return tracks.map((step, index) => (known ? (sizes[index] ?? step.weight) : step.weight))
}

function mean(steps: readonly Step[], weights: readonly number[], figures: FiguresOf): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return 0
  return (
    steps.reduce((sum, step, index) => sum + (weights[index] ?? 0) * stepFraction(step, figures), 0) / total
  )
}

/** A step with its share of the file's bar; the shares of a file sum to 1. */
export interface StepShare {
  readonly step: Step
  readonly share: number
}

export function stepShares(steps: readonly Step[], figures: FiguresOf): StepShare[] {
  const tracks = working(steps).filter((step) => !makesFile(step))
  const makers = working(steps).filter(makesFile)
  const forTracks = tracks.length === 0 ? 0 : makers.length === 0 ? 1 : shareOfTracks
  const weights = weightsOf(tracks, figures)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return [
    ...tracks.map((step, index) => ({ step, share: (forTracks * (weights[index] ?? 0)) / total })),
    ...makers.map((step) => ({ step, share: (1 - forTracks) / makers.length })),
  ]
}

/** 0–1 of one file. */
export function fileFraction(steps: readonly Step[], figures: FiguresOf): number {
  const counted = working(steps)
  if (counted.length === 0) return 0
  if (counted.every((step) => isComplete(step.state))) return 1
  const tracks = counted.filter((step) => !makesFile(step))
  const makers = counted.filter(makesFile)
  if (makers.length === 0) return mean(tracks, weightsOf(tracks, figures), figures)
  const made = mean(
    makers,
    makers.map(() => 1),
    figures,
  )
  if (tracks.length === 0) return made
  return shareOfTracks * mean(tracks, weightsOf(tracks, figures), figures) + (1 - shareOfTracks) * made
}

/** Bytes of a file: of its tracks when their sizes are known, else what was planned. */
export function fileSize(file: TaskFile, steps: readonly Step[], figures: FiguresOf): number | null {
  const tracks = working(steps).filter((step) => !makesFile(step) && step.state !== 'SKIPPED')
  const sizes = tracks.map((step) => stepSize(step, figures))
  if (tracks.length === 0 || sizes.some((size) => size === null)) return file.size
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}

export function fileDoneBytes(steps: readonly Step[], figures: FiguresOf): number {
  return working(steps)
    .filter((step) => !makesFile(step))
    .reduce((sum, step) => sum + stepDoneBytes(step, figures), 0)
}

/** 0–100 of the whole task, over selected files only. */
export function taskProgress(task: Pick<Task, 'files' | 'steps'>, figures: FiguresOf): number {
  if (taskState(task) === 'COMPLETED') return 100
  const byFile = Map.groupBy(task.steps, (step) => step.fileId)
  const files = task.files.filter((file) => file.selected)
  const parts = files.map((file) => {
    const steps = byFile.get(file.id) ?? []
    return { size: fileSize(file, steps, figures), fraction: fileFraction(steps, figures) }
  })
  const known = parts.every((part) => part.size !== null && part.size > 0)
  const weight = (size: number | null) => (known ? (size ?? 0) : 1)
  const total = parts.reduce((sum, part) => sum + weight(part.size), 0)
  if (total === 0) return 0
  const done = parts.reduce((sum, part) => sum + weight(part.size) * part.fraction, 0)
  return Math.min(highestIncomplete, (100 * done) / total)
}
