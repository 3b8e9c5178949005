/** What an answer to a request for a further range must be like. */
import { changedTrouble } from './lane.ts'
import type { OpenResource } from './opened.ts'
import { protocolTrouble } from './trouble.ts'

/** Where an answer to a request for a range ends in the file; throws a `Trouble` unless it begins as was asked. */
export function endOfRange({ contentRange, head }: OpenResource, start: number): number {
  if (contentRange?.kind === 'unsatisfied') throw changedTrouble()
  if (contentRange?.start !== start) throw protocolTrouble('another range than was asked for')
  const { end } = contentRange
  if (head.framing.kind === 'length' && head.framing.length !== end - start) {
    throw protocolTrouble('a length that is not that of its range')
  }
  return end
}
