import { expect, test } from 'vitest'
import { KeepAwake } from './keep-awake.ts'

test('the computer is kept awake once, from the first running task to the last', () => {
  const calls: string[] = []
  const keepAwake = new KeepAwake({
    start: (kind) => calls.push(`start ${kind}`),
    stop: (id) => calls.push(`stop ${id}`) > 0,
  })
  keepAwake.while(false)
  keepAwake.while(true)
  keepAwake.while(true)
  keepAwake.while(false)
  keepAwake.while(false)
  expect(calls).toEqual(['start prevent-app-suspension', 'stop 1'])
})
