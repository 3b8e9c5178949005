/**
 * What the first answer of a transfer means, given what is held already (RFC 9110 section 14, and never two
 * versions in one file). Pure.
 */
import type { ResourceFacts, Validator } from '../../shared/task/resource.ts'
import type { ContentRange } from './header-values.ts'
import type { Framing } from './response-head.ts'

export interface Held {
  /** bytes held, over all ranges */
  bytes: number
  /** end of the part that is held without a gap from the beginning */
  front: number
  /** of the resource whose bytes are held; null when unknown */
  length: number | null
  validator: Validator | null
  /** false: the host is known not to answer ranges */
  resumable: boolean
}

export interface Answer {
  status: number
  contentRange: ContentRange | null
  framing: Framing
  facts: Pick<ResourceFacts, 'length' | 'validator'>
}

export type Judgement =
  /** the body is [start, end) of the resource; end null: as far as it goes */
  | { kind: 'use'; start: number; end: number | null }
  /** the body is the whole; what is held does not count any more */
  | { kind: 'from-zero' }
  /** everything is held */
  | { kind: 'complete'; length: number }
  /** ask again without a range and begin from zero */
  | { kind: 'ask-plain' }
  /** another version than the one held */
  | { kind: 'changed' }
  | { kind: 'broken'; what: string }

/** `asked`: first byte that was asked for; null when the request had no Range. */
export function judgeFirstAnswer(held: Held, asked: number | null, answer: Answer): Judgement {
  if (answer.status === 206) return judgePart(held, asked, answer)
  if (answer.status === 416) return judgeUnsatisfied(held, asked, answer)
  if (held.bytes === 0) return { kind: 'use', start: 0, end: answer.facts.length }
  if (sameVersion(held, answer)) return { kind: 'use', start: 0, end: answer.facts.length }
  return held.resumable ? { kind: 'changed' } : { kind: 'from-zero' }
}

function judgePart(held: Held, asked: number | null, answer: Answer): Judgement {
  const { contentRange, framing, facts } = answer
  if (asked === null) return { kind: 'broken', what: 'a part that was not asked for' }
  if (contentRange?.kind !== 'range') return { kind: 'ask-plain' }
  if (contentRange.start !== asked) {
    // Small loss where even the length is unknown; else the data is worth a few tries.
    return held.bytes === 0 || held.length === null
      ? { kind: 'ask-plain' }
      : { kind: 'broken', what: 'another range than was asked for' }
  }
  if (framing.kind === 'length' && framing.length !== contentRange.end - contentRange.start) {
    return held.bytes === 0
      ? { kind: 'ask-plain' }
      : { kind: 'broken', what: 'a length that is not that of its range' }
  }
  if (held.bytes > 0) {
    if (held.length !== null && contentRange.total !== null && held.length !== contentRange.total) {
      return { kind: 'changed' }
    }
    if (held.validator !== null && contradicts(held.validator, facts.validator)) return { kind: 'changed' }
  }
  return { kind: 'use', start: contentRange.start, end: contentRange.end }
}

function judgeUnsatisfied(held: Held, asked: number | null, answer: Answer): Judgement {
  if (asked === null) return { kind: 'broken', what: 'a refused range that was not asked for' }
  const total = answer.contentRange?.kind === 'unsatisfied' ? answer.contentRange.total : null
  if (held.bytes === 0) return total === 0 ? { kind: 'complete', length: 0 } : { kind: 'ask-plain' }
  const whole = total ?? held.length
  return whole !== null && held.front === whole && (held.length ?? whole) === whole
    ? { kind: 'complete', length: whole }
    : { kind: 'changed' }
}

/** Two validators of one kind that differ. Of different kinds, or with none on one side, they say nothing. */
export function contradicts(held: Validator, answered: Validator | null): boolean {
  return answered !== null && answered.kind === held.kind && answered.value !== held.value
}

function sameVersion(held: Held, answer: Answer): boolean {
  const { validator, length } = answer.facts
  return (
    held.validator !== null &&
    validator !== null &&
    validator.kind === held.validator.kind &&
    validator.value === held.validator.value &&
    (held.length === null || length === null || held.length === length)
  )
}
