/** The row and the details of a task as clients see them: pure, from the task and what is known beside it. */
import type { ErrorRecord } from './errors.ts'
import { checkLink } from './link.ts'
import { maskParameters, scrubError, secretValues } from './mask-secrets.ts'
import { isTerminal, relevantSteps, taskState } from './task/derive.ts'
import type { Attempt, Pause, Step, StepState, Task, TaskFile } from './task/model.ts'
import { publishedOutput } from './task/outputs.ts'
import type { LiveFigures } from './task/progress.ts'
import {
  fileDoneBytes,
  fileFraction,
  fileSize,
  stepDoneBytes,
  stepFraction,
  stepShares,
  stepSize,
  taskProgress,
} from './task/progress.ts'
import { remainingSeconds } from './task/remaining-time.ts'
import type { TaskDetails, TaskRow } from './view.ts'
import type { ActiveRange, WorkerMessage } from './worker-protocol.ts'

type Activity = Extract<WorkerMessage, { kind: 'progress' }>['steps'][number]['activity']

/** What is known of a task beside what is stored. */
export interface LiveFacts {
  readonly figures: (
    stepId: string,
  ) => (LiveFigures & { activity: Activity; ranges: readonly ActiveRange[] }) | undefined
  readonly bytesPerSecond: number
  /** progress already shown in this attempt; it never falls below */
  readonly shownProgress: number
  readonly queuePosition: number | null
  readonly blockedBy: ErrorRecord | null
}

const mostPieces = 60

export function linkHost(task: Task): string {
  const { link } = task.parameters
  return checkLink(link.kind === 'single' ? link.url : link.video).host
}

function scrubbed(error: ErrorRecord | null, secrets: readonly string[]): ErrorRecord | null {
  return error === null ? null : scrubError(error, secrets)
}

function scrubPause(pause: Pause | null, secrets: readonly string[]): Pause | null {
  return pause !== null && 'error' in pause ? { ...pause, error: scrubError(pause.error, secrets) } : pause
}

function pauseError(pause: Pause | null): ErrorRecord | null {
  return pause !== null && 'error' in pause ? pause.error : null
}

/** Why the task is where it is: the failure, or what paused it. */
function errorOf(task: Task): ErrorRecord | null {
  const state = taskState(task)
  if (state === 'FAILED') return relevantSteps(task).find((step) => step.state === 'FAILED')?.error ?? null
  return state === 'PAUSED' ? pauseError(task.pause) : null
}

function fileState(steps: readonly Step[]): StepState {
  return taskState({ files: [], steps: steps.map((step) => ({ ...step, fileId: null })) })
}

/** The bar: the steps of a single file, else one piece per selected file. */
function piecesOf(task: Task, files: readonly TaskFile[], facts: LiveFacts): TaskRow['pieces'] {
  const [only] = files
  if (only === undefined) return []
  if (files.length === 1) {
    const steps = task.steps.filter((step) => step.fileId === only.id)
    return stepShares(steps, facts.figures).map(({ step, share }) => ({
      kind: step.kind,
      label: step.label,
      state: step.state,
      share,
      fraction: stepFraction(step, facts.figures),
    }))
  }
  // More would be thinner than a pixel.
  if (files.length > mostPieces) return []
  const byFile = Map.groupBy(task.steps, (step) => step.fileId)
  return files.map((file) => {
    const steps = byFile.get(file.id) ?? []
    return {
      kind: 'file' as const,
      label: file.name,
      state: fileState(steps),
      share: 1 / files.length,
      fraction: fileFraction(steps, facts.figures),
    }
  })
}

function sizeOf(task: Task, files: readonly TaskFile[], facts: LiveFacts): number | null {
  if (files.length === 0) return null
  const byFile = Map.groupBy(task.steps, (step) => step.fileId)
  let total = 0
  for (const file of files) {
    const size = fileSize(file, byFile.get(file.id) ?? [], facts.figures)
    if (size === null) return null
    total += size
  }
  return total
}

function outputsOf(task: Task): string[] {
  return task.steps.flatMap((step) => publishedOutput(task, step)?.path ?? [])
}

/** What a complete step is without: itself, when it was skipped, or what was taken although it was missing. */
function leftOut(step: Step): ErrorRecord[] {
  if (step.state === 'SKIPPED') return step.error === null ? [] : [step.error]
  return step.state === 'COMPLETED' ? (step.accepted ?? []) : []
}

export function rowOf(task: Task, facts: LiveFacts): TaskRow {
  const state = taskState(task)
  const files = task.files.filter((file) => file.selected)
  const steps = relevantSteps(task)
  const secrets = secretValues(task.parameters)
  const size = sizeOf(task, files, facts)
  const doneBytes = fileDoneBytes(steps, facts.figures)
  const running = state === 'RUNNING'
  const bytesPerSecond = running ? facts.bytesPerSecond : 0
  const progress = taskProgress(task, facts.figures)
  return {
    id: task.id,
    jobId: task.job.id,
    title: task.title,
    host: linkHost(task),
    service: task.service,
    state,
    pause: scrubPause(task.pause, secrets),
    stopRequested: isTerminal(state) ? null : (task.request?.kind ?? null),
    blockedBy: state === 'WAITING' ? facts.blockedBy : null,
    error: scrubbed(errorOf(task), secrets),
    queuePosition: state === 'WAITING' ? facts.queuePosition : null,
    progress: running ? Math.max(progress, facts.shownProgress) : progress,
    setBack: state === 'COMPLETED' ? null : (task.setBack ?? null),
    doneBytes,
    size,
    bytesPerSecond,
    remainingSeconds: running
      ? remainingSeconds(size === null ? null : size - doneBytes, bytesPerSecond)
      : null,
    active: steps
      .filter((step) => step.state === 'RUNNING')
      .map((step) => ({
        kind: step.kind,
        label: step.label,
        activity: facts.figures(step.id)?.activity ?? 'connecting',
      })),
    pieces: piecesOf(task, files, facts),
    fileCount: task.files.length,
    folder: task.parameters.folder,
    outputs: outputsOf(task),
    skipped: steps.flatMap(leftOut).map((error) => scrubError(error, secrets)),
    createdAt: task.createdAt,
    finishedAt: task.finishedAt,
  }
}

function durableRanges(step: Step): [number, number][] {
  if (step.checkpoint === null) return []
  return step.checkpoint.kind === 'ranges' ? step.checkpoint.ranges : [[0, step.checkpoint.durableLength]]
}

export function detailsOf(task: Task, facts: LiveFacts, attempts: readonly Attempt[]): TaskDetails {
  const secrets = secretValues(task.parameters)
  const byFile = Map.groupBy(task.steps, (step) => step.fileId)
  return {
    row: rowOf(task, facts),
    parameters: maskParameters(task.parameters),
    files: task.files.map((file) => {
      const steps = byFile.get(file.id) ?? []
      return {
        id: file.id,
        name: file.name,
        size: fileSize(file, steps, facts.figures),
        doneBytes: fileDoneBytes(steps, facts.figures),
        selected: file.selected,
        progress: 100 * fileFraction(steps, facts.figures),
      }
    }),
    steps: task.steps.map((step) => ({
      id: step.id,
      fileId: step.fileId,
      kind: step.kind,
      label: step.label,
      stage: step.stage,
      state: step.state,
      fraction: stepFraction(step, facts.figures),
      doneBytes: stepDoneBytes(step, facts.figures),
      size: stepSize(step, facts.figures),
      preemptible: step.preemptible,
      error: scrubbed(step.error, secrets),
      ranges: [...(facts.figures(step.id)?.ranges ?? [])],
      durable: durableRanges(step),
    })),
    attempts: attempts.map((attempt) => ({
      id: attempt.id,
      startedAt: attempt.startedAt,
      endedAt: attempt.end?.at ?? null,
      reason: attempt.end?.reason ?? null,
    })),
  }
}
