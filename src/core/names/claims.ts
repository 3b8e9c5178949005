/** The names on disk that a task holds, derived from the task itself. */
import { taskState } from '../../shared/task/derive.ts'
import type { Step, Task, TaskFile } from '../../shared/task/model.ts'
import { publishedOutput } from '../../shared/task/outputs.ts'
import type { Claim, FileSystem } from '../ports.ts'
import { hasWorked } from '../transition/carry-out.ts'
import { stepsOfFile } from '../transition/steps.ts'
import { foldPath } from './fold-path.ts'

type Join = Pick<FileSystem, 'join'>

/** Where a task's partial tracks live: beside the destination, so that the last step is a rename. */
export function workingFolder(task: Pick<Task, 'id' | 'parameters'>, files: Join): string {
  return files.join(task.parameters.folder, `.sluice-task-${task.id}`)
}

/** Where a small file is put that came whole with its answer: one file needs no folder. */
export function arrivalPath(task: Pick<Task, 'id' | 'parameters'>, files: Join): string {
  return `${workingFolder(task, files)}.part`
}

/** Name of a step's file in the working folder: the same in every attempt, whatever the final name becomes. */
export function workingName(task: Task, step: Step): string {
  const file = task.files.find((candidate) => candidate.id === step.fileId)
  return `${file?.index ?? 0}-${step.index}.part`
}

/** Where a file of the task gets its name, or has it already. */
export function outputPath(task: Task, file: TaskFile, files: Join): string {
  return publishedPath(task, file) ?? files.join(task.parameters.folder, file.name)
}

/** The path of a file that has its final name, null before. */
export function publishedPath(task: Task, file: TaskFile): string | null {
  for (const step of stepsOfFile(task, file.id)) {
    const output = publishedOutput(task, step)
    if (output !== null) return output.path
  }
  return null
}

function claim(taskId: string, kind: Claim['kind'], path: string): Claim {
  return { taskId, kind, path, foldedPath: foldPath(path) }
}

/**
 * By version of a task: each commit asks for those of two versions, and the next one for those of the latter again.
 * Paths are joined in one way for as long as a host lives.
 */
const known = new WeakMap<Task, readonly Claim[]>()

/** All claims of the task, the same object for the same version of it. */
export function claimsOf(task: Task, files: Join): readonly Claim[] {
  let claims = known.get(task)
  if (claims === undefined) {
    claims = derivedClaims(task, files)
    known.set(task, claims)
  }
  return claims
}

/** A cancelled one keeps what it has published, and the rest until its partials are discarded. */
function derivedClaims(task: Task, files: Join): Claim[] {
  const claims: Claim[] = []
  const cancelled = taskState(task) === 'CANCELLED'
  if (hasWorked(task) && !(cancelled && task.request === null)) {
    claims.push(claim(task.id, 'working-folder', workingFolder(task, files)))
  }
  if (!cancelled && task.files.length === 0 && task.parameters.name !== null) {
    claims.push(claim(task.id, 'output', files.join(task.parameters.folder, task.parameters.name)))
  }
  for (const file of task.files) {
    if ((cancelled || !file.selected) && publishedPath(task, file) === null) continue
    claims.push(claim(task.id, 'output', outputPath(task, file, files)))
  }
  return claims
}
