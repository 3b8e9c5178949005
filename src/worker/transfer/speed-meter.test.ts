import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SpeedMeter } from './speed-meter.ts'

describe('the speed that is shown', () => {
  it('C084 of bytes that waited is that of the time since they were asked for', () => {
    const meter = new SpeedMeter()
    meter.restart(1000)
    meter.update(2000, 2_000_000)
    expect(meter.bytesPerSecond).toBe(2_000_000)
    meter.update(2020, 2_040_000)
    expect(meter.bytesPerSecond).toBeCloseTo(2_000_000, -3)
  })

  it('C084 is never above the steady rate of the wire by more than a burst over three seconds', () => {
    const looks = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(looks, fc.integer({ min: 1000, max: 10_000_000 }), (waits, rate) => {
        const meter = new SpeedMeter()
        meter.restart(0)
        let now = 0
        for (const wait of waits) {
          now += wait
          meter.update(now, (rate * now) / 1000)
          expect(meter.bytesPerSecond).toBeLessThanOrEqual(rate * 1.001 + 1)
        }
      }),
    )
  })

  it('C084 falls to nothing when nothing flows', () => {
    const meter = new SpeedMeter()
    meter.restart(0)
    for (let now = 20; now <= 5000; now += 20) meter.update(now, now * 1000)
    expect(meter.bytesPerSecond).toBeCloseTo(1_000_000, -4)
    for (let now = 5020; now <= 7500; now += 20) meter.update(now, 5_000_000)
    expect(meter.bytesPerSecond).toBe(0)
    // A burst after the silence is no speed yet.
    meter.update(7520, 5_500_000)
    expect(meter.bytesPerSecond).toBeGreaterThan(0)
    expect(meter.bytesPerSecond).toBeLessThan(200_000)
  })
})
