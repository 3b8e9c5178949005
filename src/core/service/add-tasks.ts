/** Adding: every link is checked by itself, and thousands are committed in a few transactions. */
import type { AddOptions, CommandInput, CommandResult } from '../../shared/contract/commands.ts'
import type { ErrorRecord } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings.ts'
import type { TaskParameters } from '../../shared/task/model.ts'
import { sourceKey } from '../../shared/task/source-key.ts'
import type { Transition, TransitionContext } from '../transition/transition.ts'
import type { Duplicates } from './duplicates.ts'
import { duplicateError, sharingTask } from './duplicates.ts'
import type { Lookups } from './lookups.ts'
import type { Gates, LinkInput, PlannedStart } from './new-task.ts'
import { newTask, parametersFor } from './new-task.ts'
import type { TaskMemory } from './task-memory.ts'
import type { TaskWriter } from './task-writer.ts'

type Input = CommandInput<'tasks.add'>
type Result = CommandResult<'tasks.add'>['results'][number]

/** tasks of the first transaction: as many as may run at once do so while the others are being added */
const firstChunkSize = 32
/** tasks of the next ones: those that were first are at work, and each step of theirs would wait for a larger one */
const earlyChunkSize = 50
const early = 1000
/** tasks of each further transaction: large enough to be fast, small enough that others get their turn */
const chunkSize = 250

function chunkSizeAt(start: number): number {
  if (start === 0) return firstChunkSize
  return start < early ? earlyChunkSize : chunkSize
}

export interface AddParts {
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  readonly gates: Gates
  readonly lookups: Lookups
  readonly duplicates: Duplicates
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

function checkForOne(options: AddOptions, links: number): void {
  if (links <= 1) return
  if (options.name !== undefined) {
    throw new SluiceError('INVALID_INPUT', 'A name can be given to one link only')
  }
  if (options.planId !== undefined || options.files !== undefined) {
    throw new SluiceError('INVALID_INPUT', 'What was looked up is of one link only')
  }
}

/** The plan of a look-up and the files that are wanted of it; null: the link is resolved when its turn comes. */
function plannedStart(
  options: AddOptions,
  parameters: TaskParameters,
  lookups: Lookups,
): PlannedStart | null {
  const { planId, files } = options
  const plan = planId === undefined ? null : lookups.kept(planId, parameters.link)
  if (files === undefined) return plan === null ? null : { plan, wanted: null }
  if (plan === null) {
    throw new SluiceError('CONFLICT', 'The look-up that these files are of is too old', {
      hint: 'Look the link up again.',
    })
  }
  if (files.some((index) => index >= plan.files.length)) {
    throw new SluiceError('INVALID_INPUT', 'The selection names a file that the link does not offer')
  }
  return { plan, wanted: new Set(files) }
}

/** One command: what it adds must not meet itself, either. */
class Adding {
  readonly #options: AddOptions
  readonly #parts: AddParts
  readonly #ctx: TransitionContext
  readonly #sources = new Set<string>()

  constructor(options: AddOptions, parts: AddParts, ctx: TransitionContext) {
    this.#options = options
    this.#parts = parts
    this.#ctx = ctx
  }

  async transitionFor(link: LinkInput, rank: number): Promise<Transition | ErrorRecord> {
    const { gates, lookups } = this.#parts
    const parameters = parametersFor(link, this.#options, this.#parts.settings(), gates)
    const met = await this.#met(parameters)
    if (met !== null) return met
    const planned = plannedStart(this.#options, parameters, lookups)
    const startPaused = this.#options.startPaused ?? false
    return newTask(parameters, { startPaused, rank, retryOf: null, planned }, this.#ctx)
  }

  /** What becomes of a link that is in the list already. With a name of its own it is wanted once more. */
  async #met(parameters: TaskParameters): Promise<Transition | ErrorRecord | null> {
    const { duplicates = 'allow' } = this.#options
    if (duplicates === 'allow' || parameters.name !== null) return null
    const source = sourceKey(parameters)
    if (this.#sources.has(source)) {
      return new SluiceError('CONFLICT', 'This link was given twice', {
        hint: 'It is in the list once.',
      }).toRecord()
    }
    this.#sources.add(source)
    const duplicate = await this.#parts.duplicates.find(parameters)
    if (duplicate === null) return null
    return duplicates === 'use' && duplicate.isWhole
      ? sharingTask(duplicate.task, parameters, this.#ctx)
      : duplicateError(duplicate)
  }
}

async function addOne(
  adding: Adding,
  link: LinkInput,
  rank: number,
): Promise<{ result: Result; transition: Transition | null }> {
  const refused = (error: ErrorRecord) => ({
    result: { kind: 'refused' as const, link: shown(link), error },
    transition: null,
  })
  try {
    const made = await adding.transitionFor(link, rank)
    if (!('task' in made)) return refused(made)
    const { task } = made
    return {
      result: { kind: 'added', link: shown(link), id: task.id, jobId: task.job.id },
      transition: made,
    }
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown
    return refused(thrown.toRecord())
  }
}

export async function addTasks(input: Input, parts: AddParts): Promise<CommandResult<'tasks.add'>> {
  const options: AddOptions = input.options ?? {}
  const links = linksOf(input)
  checkForOne(options, links.length)
  const ctx = parts.context()
  const ranks = ranksFor(links.length, options.priority === 'front', ctx)
  const adding = new Adding(options, parts, ctx)
  const results: Result[] = []
  for (let start = 0; start < links.length; start = results.length) {
    const added: Transition[] = []
    const end = start + chunkSizeAt(start)
    for (const [index, link] of links.slice(start, end).entries()) {
      const { result, transition } = await addOne(adding, link, ranks[start + index] ?? ctx.tailRank())
      if (transition !== null) added.push(transition)
      results.push(result)
    }
    if (added.length > 0) {
      await parts.writer.write(added.map((transition) => ({ before: null, transition })))
    }
  }
  return { results }
}
