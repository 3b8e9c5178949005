import { describe, expect, it } from 'vitest'
import type { Situation } from './step-outcome.ts'
import { decideNext } from './step-outcome.ts'
import { networkTrouble, storageTrouble, trouble } from './trouble.ts'

const situation: Situation = {
  holdsData: false,
  failures: 1,
  budget: 5,
  policy: 'ask',
  wasDamaged: false,
  restarts: 0,
  chance: 0,
}
const brief = (problem: Parameters<typeof decideNext>[0], changes: Partial<Situation> = {}) => {
  const next = decideNext(problem, { ...situation, ...changes })
  if (next.kind !== 'end') return next.kind
  const outcome = next.outcome(null)
  if (outcome.kind === 'failed') return `failed ${outcome.error.code}`
  if (outcome.kind !== 'paused' || outcome.cause === null) return outcome.kind
  const by = outcome.cause.kind === 'storage' ? (outcome.cause.resumesByItself ? ' itself' : ' never') : ''
  return `paused ${outcome.cause.kind} ${outcome.cause.error.code}${by}`
}
const errno = (code: string) => Object.assign(new Error(code), { code })

describe('the table of failures', () => {
  it.each([
    ['ECONNRESET', 'wait'],
    ['ETIMEDOUT', 'wait'],
    ['EAI_AGAIN', 'wait'],
    ['ECONNREFUSED', 'wait'],
  ])('retries %s, and pauses when the budget is used up', (code, kind) => {
    const problem = networkTrouble(errno(code), 'h')
    expect(brief(problem)).toBe(kind)
    expect(brief(problem, { failures: 6 })).toMatch(/^paused network/)
  })

  it('fails for a host that does not exist at the second try with nothing fetched', () => {
    const problem = networkTrouble(errno('ENOTFOUND'), 'h')
    expect(brief(problem)).toBe('wait')
    expect(brief(problem, { failures: 2 })).toBe('failed HOST_NOT_FOUND')
    expect(brief(problem, { failures: 2, holdsData: true })).toBe('wait')
  })

  it.each([
    ['ENOSPC', 'paused storage STORAGE_FULL itself'],
    ['EDQUOT', 'paused storage STORAGE_FULL itself'],
    ['EROFS', 'paused storage STORAGE_UNAVAILABLE itself'],
    ['ENOENT', 'paused storage STORAGE_UNAVAILABLE itself'],
    ['EACCES', 'paused storage STORAGE_UNAVAILABLE itself'],
    ['EFBIG', 'paused storage STORAGE_UNAVAILABLE never'],
  ])('pauses for %s', (code, outcome) => {
    expect(brief(storageTrouble(errno(code), '/x'))).toBe(outcome)
  })

  it('goes back to the checkpoint once after EIO, then pauses for good', () => {
    const problem = storageTrouble(errno('EIO'), '/x')
    expect(brief(problem)).toBe('step-back')
    expect(brief(problem, { wasDamaged: true })).toBe('paused storage STORAGE_UNAVAILABLE never')
  })

  it('keeps the data of an expired link and fails when nothing is held', () => {
    const problem = trouble('source', 'AUTH_FAILED', 'no')
    expect(brief(problem)).toBe('failed AUTH_FAILED')
    expect(brief(problem, { holdsData: true })).toBe('paused source LINK_EXPIRED')
  })

  it('asks about a changed file or begins anew, but not in circles', () => {
    const problem = trouble('changed', 'REMOTE_CHANGED', 'other')
    expect(brief(problem)).toBe('paused review REMOTE_CHANGED')
    expect(brief(problem, { policy: 'restart' })).toBe('start-over')
    expect(brief(problem, { policy: 'restart', restarts: 3 })).toBe('paused review REMOTE_CHANGED')
  })

  it('never fails with data worth keeping', () => {
    const problem = networkTrouble(errno('CERT_HAS_EXPIRED'), 'h')
    expect(brief(problem)).toBe('failed NETWORK_ERROR')
    expect(brief(problem, { holdsData: true })).toBe('paused source NETWORK_ERROR')
  })
})
