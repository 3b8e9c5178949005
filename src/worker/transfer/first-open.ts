/** Opens the answer that a transfer begins with, and learns from it what the resource is. */
import type { Validator } from '../../shared/task/resource.ts'
import type { PartialFile } from '../files/partial-file.ts'
import { proveByBlocks } from './block-proof.ts'
import type { Engine } from './engine.ts'
import { judgeFirstAnswer } from './first-answer.ts'
import { takeOpen } from './hand-over.ts'
import { changedTrouble } from './lane.ts'
import type { OpenResource } from './opened.ts'
import type { FetchOrder } from './fetch-order.ts'
import { refusePage } from './page-check.ts'
import { coversRange, missingRanges, totalBytes } from './range-set.ts'
import { fieldOf } from './response-head.ts'
import type { SourceOpener } from './source-opener.ts'
import { Trouble, protocolTrouble } from './trouble.ts'

/** The answer that the transfer begins with. */
export interface FirstAnswer {
  resource: OpenResource
  start: number
  /** where this answer ends; null when only its end will tell */
  end: number | null
  /** bytes the file holds that the answer must repeat first */
  proof: Buffer | null
}

/** What is known of a resource while it is downloaded. */
export interface KnownResource {
  /** null until known */
  length: number | null
  validator: Validator | null
  /** what is held came from another link */
  toBeProved: boolean
  finalUrl: string
  /** false: the host does not answer ranges, so what arrived is of no use to a later try */
  resumable: boolean
  /** `algorithm:hex` that the host gave */
  checksum: string | null
  /** ranges were tried and make no sense */
  askPlain: boolean
  /** widest range that the host answers */
  largestRequest: number
}

export interface FirstOpen {
  readonly engine: Engine
  readonly order: FetchOrder
  readonly opener: SourceOpener
  readonly file: PartialFile
  readonly known: KnownResource
  readonly signal: AbortSignal
  /** Drops what is held, durably. */
  forget(): Promise<void>
  /** The resource was met for the first time; `left`: its answer came from the resolve step. */
  met(resource: OpenResource, left: boolean): void
}

/** Bytes fetched again and compared where no validator proves that the resource is the same. */
export const overlapBytes = 64 * 1024
/** A host that refuses wide ranges is asked for ones of this size. */
const narrowRequestBytes = 1024 * 1024

type Asked = { range: { start: number; end: number | null } | null; proof: number }

/** The answer to begin with; null when the file turns out to be whole. Throws `Trouble`. */
export async function openFirst(context: FirstOpen): Promise<FirstAnswer | null> {
  if (context.known.toBeProved && (await proveHeld(context)) === 'whole') return null
  for (let tries = 0; tries < 3; tries++) {
    if (context.known.askPlain && context.file.written.length > 0) await context.forget()
    const asked = whatToAsk(context)
    const { resource, left } = await ask(context, asked)
    try {
      const answer = await judge(context, asked, resource, left)
      if (answer === 'whole') {
        resource.close()
        return null
      }
      if (answer !== 'again') return answer
    } catch (thrown) {
      resource.close()
      throw thrown
    }
    resource.close()
  }
  throw protocolTrouble('ranges that make no sense')
}

/** What came from another link is that of this one from now on, or dropped where nothing can be compared. */
async function proveHeld(context: FirstOpen): Promise<'whole' | 'part'> {
  const { file, known } = context
  if (known.resumable) {
    const facts = await proveByBlocks(context)
    known.validator = facts?.validator ?? null
    known.finalUrl = facts?.finalUrl ?? known.finalUrl
  }
  known.toBeProved = false
  if (!known.resumable) await context.forget()
  return known.length !== null && coversRange(file.written, 0, known.length) ? 'whole' : 'part'
}

function whatToAsk({ known, file }: FirstOpen): Asked {
  if (known.askPlain) return { range: null, proof: 0 }
  const gap = missingRanges(file.written, 0, known.length ?? Number.MAX_SAFE_INTEGER)[0] ?? [0, 0]
  const start = gap[0]
  // Without a validator only bytes prove anything: the last ones held are fetched again and compared.
  const proof = known.validator === null ? Math.min(overlapBytes, start) : 0
  const widest = start - proof + known.largestRequest
  const end = known.length === null || gap[1] >= known.length ? Number.POSITIVE_INFINITY : gap[1]
  const last = Math.min(widest, end)
  return { range: { start: start - proof, end: Number.isFinite(last) ? last : null }, proof }
}

async function ask(context: FirstOpen, asked: Asked): Promise<{ resource: OpenResource; left: boolean }> {
  const { engine, order, opener, known, signal, file } = context
  const { range } = asked
  if (range?.start === 0 && range.end === null && file.written.length === 0) {
    const left = takeOpen(engine, order.source, order.access)
    if (left !== null) {
      opener.adopt(left)
      return { resource: left, left: true }
    }
  }
  const ifRange = file.written.length > 0 && known.validator !== null ? known.validator.value : null
  try {
    return { resource: await opener.openLink(range, ifRange, signal), left: false }
  } catch (thrown) {
    const wide = range !== null && (range.end ?? Number.POSITIVE_INFINITY) - range.start > narrowRequestBytes
    if (!wide || !(thrown instanceof Trouble) || thrown.status !== 403) throw thrown
    return { resource: await askNarrow(context, range.start, ifRange, thrown), left: false }
  }
}

/** Some hosts forbid wide ranges and answer narrow ones. */
async function askNarrow(
  { opener, known, signal }: FirstOpen,
  start: number,
  ifRange: string | null,
  refusal: Trouble,
): Promise<OpenResource> {
  try {
    const resource = await opener.openLink({ start, end: start + narrowRequestBytes }, ifRange, signal)
    known.largestRequest = narrowRequestBytes
    return resource
  } catch (thrown) {
    if (signal.aborted) throw thrown
    throw refusal
  }
}

async function judge(
  context: FirstOpen,
  asked: Asked,
  resource: OpenResource,
  left: boolean,
): Promise<FirstAnswer | 'again' | 'whole'> {
  const { file, known } = context
  const first = file.written[0]
  const front = first?.[0] === 0 ? first[1] : 0
  const bytes = totalBytes(file.written)
  const judgement = judgeFirstAnswer({ ...known, bytes, front }, asked.range?.start ?? null, {
    status: resource.status,
    contentRange: resource.contentRange,
    framing: resource.head.framing,
    facts: resource.facts,
  })
  switch (judgement.kind) {
    case 'changed':
      throw changedTrouble()
    case 'broken':
      throw protocolTrouble(judgement.what)
    case 'ask-plain':
      known.askPlain = true
      return 'again'
    case 'complete':
      await learn(context, resource, bytes === 0, left)
      known.length = judgement.length
      return 'whole'
    case 'from-zero':
      await context.forget()
      await learn(context, resource, true, left)
      return { resource, start: 0, end: resource.facts.length, proof: null }
    case 'use': {
      await learn(context, resource, bytes === 0, left)
      const { start, end } = judgement
      const proof = asked.proof > 0 && start > 0 ? await file.read(front - asked.proof, front) : null
      return { resource, start, end, proof }
    }
  }
}

async function learn(
  context: FirstOpen,
  resource: OpenResource,
  fresh: boolean,
  left: boolean,
): Promise<void> {
  const { known, order } = context
  const { facts } = resource
  known.finalUrl = facts.finalUrl
  known.length ??= facts.length
  if (!fresh) return
  const announced = /^\s*bytes\s*$/i.test(fieldOf(resource.head, 'accept-ranges') ?? '')
  known.length = facts.length
  known.validator = facts.validator
  known.checksum = facts.checksum
  known.resumable = !known.askPlain && (facts.acceptsRanges || (announced && facts.length !== null))
  if (order.refusePage && resource.status !== 416) await refusePage(resource)
  context.met(resource, left)
}
