import { describe, expect, test } from 'vitest'
import type { TaskDetails } from '../../../shared/view.ts'
import { rowOf } from '../../rows/row-of.ts'
import { draftOf, editOf, faultsOf, limitIn } from './edit-draft.ts'

const details: TaskDetails = {
  row: rowOf(),
  parameters: {
    link: { kind: 'single', url: 'https://a/f.iso?sig=•••' },
    folder: '/downloads',
    name: null,
    headers: [['Cookie', '•••']],
    connections: null,
    speedLimitBytesPerSecond: null,
    checksum: null,
    proxy: null,
    direct: false,
  },
  files: [{ id: 'f', name: 'f.iso', size: null, doneBytes: 0, selected: true, progress: 0 }],
  steps: [],
  attempts: [],
}
const before = draftOf(details)

describe('editing', () => {
  test('sends nothing that was not changed, masked or not', () => {
    expect(faultsOf(before, before)).toEqual([])
    expect(editOf('t', before, before, true)).toEqual({ id: 't', deleteFiles: false, startAfterEdit: true })
  })

  test('sends what was changed', () => {
    const draft = {
      ...before,
      link: ' https://a/fresh ',
      name: 'g.iso',
      folder: '/other',
      headers: 'A: b',
      connections: 4,
      limit: '1,5',
      keepsData: false,
    }
    expect(editOf('t', draft, before, false)).toEqual({
      id: 't',
      link: 'https://a/fresh',
      name: 'g.iso',
      folder: '/other',
      headers: [['A', 'b']],
      connections: 4,
      speedLimitBytesPerSecond: 1_500_000,
      deleteFiles: true,
      startAfterEdit: false,
    })
  })

  test('takes a limit away', () => {
    const limited = { ...before, limit: '2' }
    expect(editOf('t', { ...limited, limit: '' }, limited, true).speedLimitBytesPerSecond).toBeNull()
  })

  test('does not save half-hidden values', () => {
    expect(faultsOf({ ...before, link: 'https://b/f.iso?sig=•••' }, before)).toEqual(['link'])
    expect(faultsOf({ ...before, link: ' ' }, before)).toEqual(['link'])
    expect(faultsOf({ ...before, headers: 'Cookie: •••\nA: b' }, before)).toEqual(['masked-headers'])
    expect(faultsOf({ ...before, headers: 'nonsense' }, before)).toEqual(['headers'])
  })

  test('knows a limit from other texts', () => {
    expect(limitIn('')).toBeNull()
    expect(limitIn('0.5')).toBe(500_000)
    expect([limitIn('fast'), limitIn('0'), limitIn('-1')]).toEqual([undefined, undefined, undefined])
    expect(faultsOf({ ...before, limit: 'fast' }, before)).toEqual(['limit'])
  })

  test('leaves the links of a pair alone', () => {
    const pair = { kind: 'pair', video: 'https://v', audio: 'https://a' } as const
    expect(draftOf({ ...details, parameters: { ...details.parameters, link: pair } }).link).toBeNull()
  })
})
