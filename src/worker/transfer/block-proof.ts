/**
 * Proves that another link leads to the file whose bytes are held, where no two validators vouch for that: blocks of
 * the first, the last and a random part of what is held are fetched again and compared. One block at the front would
 * not do: versions of a file often begin alike, and what is held may lie in several places.
 */
import type { ResourceFacts } from '../../shared/task/resource.ts'
import type { PartialFile } from '../files/partial-file.ts'
import type { Engine } from './engine.ts'
import { contradicts } from './first-answer.ts'
import { changedTrouble } from './lane.ts'
import type { OpenResource } from './opened.ts'
import type { ByteRange, RangeSet } from './range-set.ts'
import { addRange, totalBytes } from './range-set.ts'
import { slabBytes } from './slab-pool.ts'
import type { SourceOpener } from './source-opener.ts'
import { protocolTrouble, trouble } from './trouble.ts'

const blockBytes = 64 * 1024

/**
 * The blocks to compare: fewer and longer ones where they touch.
 * @param chance [0, 1): which byte the random one begins with
 */
export function proofBlocks(held: RangeSet, chance: number): RangeSet {
  const total = totalBytes(held)
  const starts = [0, Math.floor(chance * total), total - 1]
  return starts.reduce<RangeSet>((blocks, offset) => {
    const range = rangeAt(held, offset)
    if (range === null) return blocks
    const start = Math.max(range.start, Math.min(range.at, range.end - blockBytes))
    return addRange(blocks, start, Math.min(range.end, start + blockBytes))
  }, [])
}

/** The range in which the held byte of this number lies, and where. */
function rangeAt(held: RangeSet, offset: number): { start: number; end: number; at: number } | null {
  let before = 0
  for (const [start, end] of held) {
    if (offset < before + end - start) return { start, end, at: start + offset - before }
    before += end - start
  }
  return null
}

/** What the answers said of the resource; null when nothing is held. Throws `Trouble`: `changed` for other bytes. */
export async function proveByBlocks(parts: {
  readonly engine: Engine
  readonly opener: SourceOpener
  readonly file: PartialFile
  readonly known: { readonly length: number | null }
  readonly signal: AbortSignal
}): Promise<ResourceFacts | null> {
  const { engine, opener, file, known, signal } = parts
  let facts: ResourceFacts | null = null
  for (const block of proofBlocks(file.written, engine.chance())) {
    const range = { start: block[0], end: block[1] }
    const resource: OpenResource =
      facts === null
        ? await opener.openLink(range, null, signal)
        : await opener.openFinal(range, null, signal)
    try {
      checkAnswer(resource, block, known.length, facts)
      const fetched = await readBlock(resource, block, engine, signal)
      if (!fetched.equals(await file.read(...block))) throw changedTrouble()
    } finally {
      resource.close()
    }
    ;({ facts } = resource)
  }
  return facts
}

/** The part that was asked for, of a resource as long as it was that has not become another since the block before. */
function checkAnswer(
  { status, contentRange, head, facts }: OpenResource,
  [start, end]: ByteRange,
  length: number | null,
  before: ResourceFacts | null,
): void {
  const isOtherLength = facts.length !== null && length !== null && facts.length !== length
  const held = before?.validator ?? null
  // The whole, or nothing, where parts were to be had before.
  if (status !== 206 || isOtherLength || (held !== null && contradicts(held, facts.validator))) {
    throw changedTrouble()
  }
  const isAsked = contentRange?.kind === 'range' && contentRange.start === start && contentRange.end === end
  const { framing } = head
  if (!isAsked || (framing.kind === 'length' && framing.length !== end - start)) {
    throw protocolTrouble('another range than was asked for')
  }
}

/** The whole body of the part. */
function readBlock(
  resource: OpenResource,
  [start, end]: ByteRange,
  engine: Engine,
  signal: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.allocUnsafe(end - start)
    let filled = 0
    const onAbort = () => settle(() => reject(trouble('retry', 'TIMEOUT', 'It was asked to stop')))
    const timer = setTimeout(() => {
      settle(() => reject(trouble('retry', 'TIMEOUT', 'The host sent nothing for a while')))
    }, engine.timings.stallMs)
    const settle = (act: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      act()
    }
    signal.addEventListener('abort', onAbort)
    resource.connection.stopAfter(bytes.length)
    resource.receive(
      {
        slabBytes,
        data: (slab, from, to) => {
          filled += slab.bytes.copy(bytes, filled, from, to)
          return true
        },
        ended: (problem) =>
          settle(() => {
            if (problem === null && filled === bytes.length) resolve(bytes)
            else reject(problem ?? protocolTrouble('less than the part that it announced'))
          }),
      },
      engine.limiter,
    )
  })
}
