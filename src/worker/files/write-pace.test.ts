import { expect, it } from 'vitest'
import { WritePace } from './write-pace.ts'

function paced() {
  let now = 0
  const pace = new WritePace(() => now)
  return {
    pace,
    pass: (ms: number) => void (now += ms),
    take: (ms: number) => pace.onTheSpot(() => (now += ms)),
  }
}

it('calls are made on the spot while they are quick', () => {
  const { pace, take } = paced()
  for (let call = 0; call < 1000; call++) take(19)
  expect(pace.isQuick).toBe(true)
})

it('a slow call sends the next ones to threads for a second, another soon after for longer', () => {
  const { pace, pass, take } = paced()
  take(20)
  expect(pace.isQuick).toBe(false)
  pass(999)
  expect(pace.isQuick).toBe(false)
  pass(1)
  expect(pace.isQuick).toBe(true)
  take(200)
  pass(1999)
  expect(pace.isQuick).toBe(false)
  pass(1)
  expect(pace.isQuick).toBe(true)
})

it('never distrusts for longer than half a minute, and forgives after one', () => {
  const { pace, pass, take } = paced()
  for (let call = 0; call < 20; call++) {
    take(50)
    pass(32_000)
    expect(pace.isQuick).toBe(true)
  }
  pass(32_000)
  take(50)
  pass(1000)
  expect(pace.isQuick).toBe(true)
})

it('a call that fails is told, and counts', () => {
  const { pace, pass } = paced()
  const fail = () => {
    pass(30)
    throw new Error('the drive is gone')
  }
  expect(() => pace.onTheSpot(fail)).toThrow('the drive is gone')
  expect(pace.isQuick).toBe(false)
})

it('a call is made on the spot or by a thread, and rejects with what it throws', async () => {
  const { pace, take } = paced()
  const make = () =>
    pace.make(
      () => 'on the spot',
      () => Promise.resolve('by a thread'),
    )
  expect(await make()).toBe('on the spot')
  const failing = pace.make(
    () => {
      throw new Error('no')
    },
    () => Promise.resolve(),
  )
  await expect(failing).rejects.toThrow('no')
  take(200)
  expect(await make()).toBe('by a thread')
})
