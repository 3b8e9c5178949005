/** Adding: every link is checked by itself, and thousands are committed in a few transactions. */
import type { AddOptions, CommandInput, CommandResult } from '../../shared/contract/commands.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings.ts'
import type { TaskMemory } from './task-memory.ts'
import type { TaskWriter } from './task-writer.ts'
import type { Transition, TransitionContext } from '../transition/transition.ts'
import type { Gates, LinkInput } from './new-task.ts'
import { newTask, parametersFor } from './new-task.ts'

type Input = CommandInput<'tasks.add'>
type Result = CommandResult<'tasks.add'>['results'][number]

/** tasks per transaction: large enough to be fast, small enough that others get their turn */
const chunkSize = 500

export interface AddParts {
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  readonly gates: Gates
  settings(): Settings
  context(): TransitionContext
}

function linksOf(input: Input): LinkInput[] {
  if ('pair' in input) return [{ kind: 'pair', ...input.pair }]
  return input.links.map((url) => ({ kind: 'single', url }))
}

function shown(link: LinkInput): string {
  return link.kind === 'single' ? link.url : link.video
}

/** Ranks of new tasks in the order of the links: behind all others, or before them. */
function ranksFor(count: number, front: boolean, ctx: TransitionContext): number[] {
  if (!front) return Array.from({ length: count }, () => ctx.tailRank())
  return Array.from({ length: count }, () => ctx.headRank()).toReversed()
}

export async function addTasks(input: Input, parts: AddParts): Promise<CommandResult<'tasks.add'>> {
  const options: AddOptions = input.options ?? {}
  const links = linksOf(input)
  if (options.name !== undefined && links.length > 1) {
    throw new SluiceError('INVALID_INPUT', 'A name can be given to one link only')
  }
  const ctx = parts.context()
  const ranks = ranksFor(links.length, options.priority === 'front', ctx)
  const results: Result[] = []
  for (let start = 0; start < links.length; start += chunkSize) {
    const added: Transition[] = []
    const chunk = links.slice(start, start + chunkSize).map((link, index): Result => {
      try {
        const parameters = parametersFor(link, options, parts.settings(), parts.gates)
        const wishes = {
          startPaused: options.startPaused ?? false,
          rank: ranks[start + index] ?? ctx.tailRank(),
          retryOf: null,
        }
        const transition = newTask(parameters, wishes, ctx)
        added.push(transition)
        const { task } = transition
        return { kind: 'added', link: shown(link), id: task.id, jobId: task.job.id }
      } catch (thrown) {
        if (!(thrown instanceof SluiceError)) throw thrown
        return { kind: 'refused', link: shown(link), error: thrown.toRecord() }
      }
    })
    if (added.length > 0) {
      await parts.writer.write(added.map((transition) => ({ before: null, transition })))
    }
    results.push(...chunk)
  }
  return { results }
}
