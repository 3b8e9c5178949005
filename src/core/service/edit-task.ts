/** Editing: a changed link is looked up first, and a failure of that leaves the task untouched. */
import type { CommandInput, CommandResult, OperationResult } from '../../shared/contract/commands.ts'
import { SluiceError } from '../../shared/errors.ts'
import { taskState } from '../../shared/task/derive.ts'
import type { Plan, Task, TaskParameters } from '../../shared/task/model.ts'
import type { EditRequest } from '../transition/edit.ts'
import { keepsData } from '../transition/keeps-data.ts'
import { edit, editRefusal } from '../transition/operate.ts'
import type { FollowUp } from './follow-up.ts'
import type { Lookups } from './lookups.ts'
import type { Gates } from './new-task.ts'
import { checkedLink, checkFolder, checkName } from './new-task.ts'
import type { Operations } from './operations.ts'
import type { TaskMemory } from './task-memory.ts'

type Input = CommandInput<'tasks.edit'>
type Changes = Omit<Input, 'id' | 'deleteFiles' | 'startAfterEdit' | 'planId'>

export interface EditParts {
  readonly memory: TaskMemory
  readonly operations: Operations
  readonly followUp: FollowUp
  readonly lookups: Lookups
  readonly gates: Gates
}

/** The parameters after the edit; what is not mentioned stays. */
function editedParameters(task: Task, input: Changes, gates: Gates): TaskParameters {
  const held = task.parameters
  const given = input.link === undefined ? null : checkedLink({ kind: 'single', url: input.link })
  if (given !== null && held.link.kind === 'pair') {
    throw new SluiceError('UNSUPPORTED', 'The links of a video and audio pair cannot be replaced by one link')
  }
  const headers = input.headers ?? held.headers
  const fromLink = given?.headers ?? []
  const names = new Set(fromLink.map(([name]) => name.toLowerCase()))
  return {
    ...held,
    link: given?.link ?? held.link,
    folder: input.folder === undefined ? held.folder : checkFolder(input.folder, gates),
    name: input.name === undefined ? held.name : checkName(input.name),
    headers: [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...fromLink],
    connections: input.connections === undefined ? held.connections : input.connections,
    speedLimitBytesPerSecond:
      input.speedLimitBytesPerSecond === undefined
        ? held.speedLimitBytesPerSecond
        : input.speedLimitBytesPerSecond,
  }
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** What a preview has found, when it is not too old. */
function keptPlan(input: Input, parameters: TaskParameters, lookups: Lookups): Plan | null {
  return input.planId === undefined ? null : lookups.kept(input.planId, parameters.link)
}

/** `note`: told how to cancel the look-up; returns what is to be called when it has ended. */
export async function previewEdit(
  input: CommandInput<'tasks.previewEdit'>,
  parts: EditParts,
  note: (cancel: () => void) => () => void,
): Promise<CommandResult<'tasks.previewEdit'>> {
  const { memory, lookups, gates } = parts
  const task = await memory.load(input.id)
  if (task === undefined || task.request?.kind === 'delete') {
    throw new SluiceError('JOB_NOT_FOUND', 'There is no such task')
  }
  const refusal = editRefusal(task, true)
  if (refusal?.kind === 'refused') throw refusal.error
  const { link, headers } = input
  const parameters = editedParameters(task, { link, ...(headers === undefined ? {} : { headers }) }, gates)
  const lookup = lookups.begin(parameters)
  const ended = note(() => lookup.cancel())
  const plan = await lookup.plan.finally(ended)
  return {
    planId: lookups.keep(plan, parameters),
    keepsData: keepsData(task, plan),
    title: plan.title,
    files: plan.files.map(({ name, size }) => ({ name, size })),
  }
}

export async function editTask(input: Input, parts: EditParts): Promise<OperationResult> {
  const { memory, operations, followUp, lookups, gates } = parts
  const found = await memory.load(input.id)
  const visible = found !== undefined && found.request?.kind !== 'delete'
  const prepared = visible && editRefusal(found, input.link !== undefined) === null
  let plan: Plan | null = null
  if (prepared && input.link !== undefined) {
    const parameters = editedParameters(found, input, gates)
    if (!sameJson(parameters.link, found.parameters.link))
      plan = keptPlan(input, parameters, lookups) ?? (await lookups.begin(parameters).plan)
  }
  const answer = await operations.each([input.id], (task, ctx) => {
    const parameters = editedParameters(task, input, gates)
    const unchanged = plan === null && sameJson(parameters, task.parameters) && !input.deleteFiles
    // Editing nothing still cures a paused or failed task: it is scheduled again.
    if (
      unchanged &&
      (taskState(task) === 'WAITING' || taskState(task) === 'RUNNING') &&
      input.startAfterEdit
    ) {
      return { kind: 'unchanged' }
    }
    const request: EditRequest = {
      kind: 'edit',
      at: ctx.now,
      parameters,
      plan,
      keepsData: !input.deleteFiles && (plan === null || keepsData(task, plan)),
      deleteFiles: input.deleteFiles,
      startAfterEdit: input.startAfterEdit,
      thenPause: false,
    }
    return edit(task, request, ctx)
  })
  return {
    results: await Promise.all(answer.results.map((result) => settledResult(result, followUp, memory))),
  }
}

type Result = OperationResult['results'][number]

/** Where nothing runs, the answer tells how it came out. */
async function settledResult(result: Result, followUp: FollowUp, memory: TaskMemory): Promise<Result> {
  const task = memory.live(result.id)
  if (result.kind !== 'done' || task?.request?.kind !== 'edit' || task.attempt !== null) return result
  try {
    await followUp.carryOut(result.id)
    const after = await memory.load(result.id)
    return { ...result, jobId: after?.job.id ?? result.jobId }
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown
    return { kind: 'refused', id: result.id, error: thrown.toRecord() }
  }
}
