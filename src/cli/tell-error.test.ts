import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SluiceError } from '../shared/errors.ts'
import { faultTeller } from './tell-error.ts'

let said: string[]
beforeEach(() => {
  said = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
})
afterEach(() => vi.restoreAllMocks())

it('a fault that comes again and again is told once, one that comes between is told, and then it is again', () => {
  const tell = faultTeller()
  const full = () => new SluiceError('STORAGE_FULL', 'It is full', { hint: 'Make room.' })
  for (let again = 0; again < 3; again++) tell(full())
  tell(new SluiceError('STORAGE_UNAVAILABLE', 'It is away', { hint: 'Bring it back.' }))
  tell(full())
  expect(said).toEqual([
    'sluice: It is full (STORAGE_FULL). Make room.\n',
    'sluice: It is away (STORAGE_UNAVAILABLE). Bring it back.\n',
    'sluice: It is full (STORAGE_FULL). Make room.\n',
  ])
})

it('a fault that has no code is told with where it came from', () => {
  const tell = faultTeller()
  const fault = new Error('unexpected')
  tell(fault)
  tell(fault)
  expect(said).toEqual([`sluice: a fault inside the app: ${fault.stack ?? ''}\n`])
})
