/** A new task with the parameters of one that has ended. The gates of new tasks are checked again. */
import type { OperationResult } from '../../shared/contract/commands.ts'
import { SluiceError } from '../../shared/errors.ts'
import { isTerminal, taskState } from '../../shared/task/derive.ts'
import { conflictWithState } from '../transition/refuse.ts'
import type { TaskStore } from '../ports.ts'
import type { Transition } from '../transition/transition.ts'
import type { AddParts } from './add-tasks.ts'
import { checkedLink, checkFolder, newTask } from './new-task.ts'

type Result = OperationResult['results'][number]

export function retryAsNew(ids: readonly string[], parts: AddParts): Promise<OperationResult> {
  return retryEach(
    [...new Set(ids)].map((id) => ({ id, taskId: id, mustHaveEnded: true })),
    parts,
  )
}

/** The same by jobs that have ended: their tasks may be at work on a later one. */
export async function retryEndedJobs(
  jobIds: readonly string[],
  parts: AddParts & { readonly store: Pick<TaskStore, 'job'> },
): Promise<OperationResult> {
  const wanted: Wanted[] = []
  for (const id of new Set(jobIds)) {
    const job = await parts.store.job(id)
    // without a job there is no task of that id either, and it is refused as one that is not there
    wanted.push({ id, taskId: job?.taskId ?? id, mustHaveEnded: (job?.end ?? null) === null })
  }
  return retryEach(wanted, parts)
}

interface Wanted {
  /** as it was asked for */
  id: string
  taskId: string
  /** the task itself has to have ended, not only one of its jobs */
  mustHaveEnded: boolean
}

async function retryEach(wanted: readonly Wanted[], parts: AddParts): Promise<OperationResult> {
  const ctx = parts.context()
  const results: Result[] = []
  const added: Transition[] = []
  for (const { id, taskId, mustHaveEnded } of wanted) {
    const task = await parts.memory.load(taskId)
    if (task === undefined || task.request?.kind === 'delete') {
      const error = new SluiceError('JOB_NOT_FOUND', 'There is no such task')
      results.push({ kind: 'refused', id, error: error.toRecord() })
      continue
    }
    const state = taskState(task)
    if (mustHaveEnded && !isTerminal(state)) {
      const conflict = conflictWithState('made again', state)
      if (conflict.kind === 'refused') results.push({ kind: 'refused', id, error: conflict.error.toRecord() })
      continue
    }
    try {
      const { link } = task.parameters
      checkedLink(link)
      checkFolder(task.parameters.folder, parts.gates)
      const wishes = { startPaused: false, rank: ctx.tailRank(), retryOf: task.id, planned: null }
      const transition = newTask(task.parameters, wishes, ctx)
      added.push(transition)
      results.push({ kind: 'done', id: transition.task.id, jobId: transition.task.job.id, changed: true })
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) throw thrown
      results.push({ kind: 'refused', id, error: thrown.toRecord() })
    }
  }
  if (added.length > 0) await parts.writer.write(added.map((transition) => ({ before: null, transition })))
  return { results }
}
