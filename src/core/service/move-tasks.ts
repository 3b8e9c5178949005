/** Moving waiting tasks within the queue: several keep their relative order, the last call wins. */
import type { OperationResult } from '../../shared/contract/commands.ts'
import { SluiceError } from '../../shared/errors.ts'
import { taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import { ranksBetween } from '../scheduling/ranks.ts'
import { conflictWithState } from '../transition/refuse.ts'
import { settle } from '../transition/settle.ts'
import type { TransitionContext } from '../transition/transition.ts'
import type { TaskLines } from './task-lines.ts'
import type { TaskMemory } from './task-memory.ts'
import type { Entry, TaskWriter } from './task-writer.ts'

type Result = OperationResult['results'][number]

export interface MoveParts {
  readonly lines: TaskLines
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  context(): TransitionContext
}

function canMove(task: Task): boolean {
  return taskState(task) === 'WAITING' && task.request === null
}

/** Ranks for the moved ones before `before`; null when there is no room between its neighbours. */
function placesBefore(
  memory: TaskMemory,
  moved: ReadonlySet<string>,
  before: string | null,
  ctx: TransitionContext,
): number[] | null {
  const count = moved.size
  if (before === null) return Array.from({ length: count }, () => ctx.tailRank())
  if (before === 'front') return Array.from({ length: count }, () => ctx.headRank()).toReversed()
  const place = memory.queue.position(before)
  if (place === null) throw new SluiceError('CONFLICT', 'The task to move before is not waiting')
  let index = place - 2
  // Neighbours that move themselves are no neighbours.
  while (index >= 0 && moved.has(memory.queue.at(index) ?? '')) index--
  const previous = index < 0 ? null : memory.queue.rankOf(memory.queue.at(index) ?? '')
  return ranksBetween(previous, memory.queue.rankOf(before), count)
}

export async function moveTasks(
  ids: readonly string[],
  before: string | null,
  parts: MoveParts,
): Promise<OperationResult> {
  const { memory, lines } = parts
  const unique = [...new Set(ids)]
  // The whole queue may have to be numbered again, so all of it stands still.
  const everyone = [...new Set([...unique, ...memory.queue.ids()])]
  return lines.runMany(everyone, async () => {
    const ctx = parts.context()
    const results: Result[] = []
    const movable: Task[] = []
    for (const id of unique) {
      const task = await memory.load(id)
      if (task === undefined || task.request?.kind === 'delete') {
        results.push({
          kind: 'refused',
          id,
          error: new SluiceError('JOB_NOT_FOUND', 'There is no such task').toRecord(),
        })
      } else if (!canMove(task)) {
        const conflict = conflictWithState('moved in the queue', taskState(task))
        if (conflict.kind === 'refused')
          results.push({ kind: 'refused', id, error: conflict.error.toRecord() })
      } else {
        movable.push(task)
        results.push({ kind: 'done', id, jobId: task.job.id, changed: true })
      }
    }
    if (movable.length === 0 || (before !== null && movable.some((task) => task.id === before))) {
      return { results }
    }
    const order = movable.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    const moved = new Set(order.map((task) => task.id))
    const ranks = placesBefore(memory, moved, before, ctx)
    await parts.writer.write(
      ranks === null
        ? renumbered(memory, order, before, ctx)
        : order.map((task, index) => ranked(task, ranks[index] ?? 0, ctx)),
    )
    return { results }
  })
}

function ranked(task: Task, rank: number, ctx: TransitionContext): Entry {
  return { before: task, transition: settle(task, { rank }, ctx) }
}

/** The whole queue with new ranks, the moved ones before the given one. */
function renumbered(
  memory: TaskMemory,
  order: readonly Task[],
  before: string | null,
  ctx: TransitionContext,
): Entry[] {
  const moved = new Set(order.map((task) => task.id))
  const rest = [...memory.queue.ids()].flatMap((id) => {
    const task = memory.live(id)
    return task === undefined || moved.has(id) ? [] : [task]
  })
  const place = rest.findIndex((task) => task.id === before)
  const all = [...rest.slice(0, place), ...order, ...rest.slice(place)]
  return all.map((task) => ranked(task, ctx.tailRank(), ctx))
}
