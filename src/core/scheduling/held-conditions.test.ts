import { describe, expect, test } from 'vitest'
import { SluiceError } from '../../shared/errors.ts'
import { FakeClock } from '../../../test/fakes/fake-clock.ts'
import { HeldConditions } from './held-conditions.ts'

const error = new SluiceError('NETWORK_ERROR', 'it does not answer').toRecord()

describe('a held condition', () => {
  test('invariant 20: is asked about after 5 s, doubling to 5 min, by one prober however often it is held', async () => {
    const clock = new FakeClock()
    const held = new HeldConditions(clock, () => undefined)
    const asked: number[] = []
    const start = clock.monotonic()
    for (let again = 0; again < 100; again++) {
      held.hold({
        ...{ key: 'host', error },
        probe: () => {
          asked.push((clock.monotonic() - start) / 1000)
          return Promise.resolve(false)
        },
        onEnd: () => Promise.resolve(),
      })
    }
    await clock.advance(1_300_000)
    expect(asked).toEqual([5, 15, 35, 75, 155, 315, 615, 915, 1215])
  })

  test('is over when the answer says so, after what it paused has come back', async () => {
    const clock = new FakeClock()
    const seen: string[] = []
    const held = new HeldConditions(clock, () => seen.push(held.get('host') === null ? 'free' : 'held'))
    held.hold({
      ...{ key: 'host', error },
      probe: () => Promise.resolve(true),
      onEnd: () => Promise.resolve(void seen.push('returned')),
    })
    await clock.advance(5000)
    expect(seen).toEqual(['held', 'returned', 'free'])
  })

  test('that somebody waits for is asked about at once, and told when it is not over', async () => {
    const clock = new FakeClock()
    const asked: number[] = []
    const seen: boolean[] = []
    let answer = false
    const held: HeldConditions = new HeldConditions(clock, () => seen.push(held.isAwaited('volume')))
    const start = clock.monotonic()
    held.hold({
      ...{ key: 'volume', error },
      probe: () => {
        asked.push((clock.monotonic() - start) / 1000)
        return Promise.resolve(answer)
      },
      onEnd: () => Promise.resolve(),
    })
    await clock.advance(20_000)
    held.askNow('volume')
    held.askNow('volume')
    expect(held.isAwaited('volume')).toBe(true)
    await clock.advance(6_000)
    // after 5 s and after 10 more; when it was asked for, once; and from there on in the usual steps
    expect(asked).toEqual([5, 15, 20, 25])
    expect(seen).toEqual([false, false])
    answer = true
    held.askNow('volume')
    await clock.advance(0)
    expect(held.get('volume')).toBeNull()
    held.askNow('volume')
    expect(held.isAwaited('volume')).toBe(false)
  })

  test('that comes up again while it ends is held on', async () => {
    const clock = new FakeClock()
    const held = new HeldConditions(clock, () => undefined)
    const condition = {
      ...{ key: 'host', error },
      probe: () => Promise.resolve(true),
      onEnd: () => {
        held.hold(condition)
        return Promise.resolve()
      },
    }
    held.hold(condition)
    await clock.advance(5000)
    expect(held.get('host')).toEqual(error)
    held.close()
    expect(held.get('host')).toBeNull()
  })

  test('whose probe fails in itself stays', async () => {
    const clock = new FakeClock()
    const held = new HeldConditions(clock, () => undefined)
    const probe = () => Promise.reject(new Error('no socket'))
    held.hold({ ...{ key: 'host', error }, probe, onEnd: () => Promise.resolve() })
    await clock.advance(60_000)
    expect(held.get('host')).toEqual(error)
  })
})
