import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sampleStep, sampleTask } from '../../../test/contracts/sample-task.ts'
import type { Step, StepKind } from './model.ts'
import { stepStates } from './model.ts'
import { fileFraction, stepShares, taskProgress } from './progress.ts'
import { remainingSeconds } from './remaining-time.ts'

const stored = () => undefined

function step(id: string, kind: StepKind, overrides: Partial<Step> = {}): Step {
  return sampleStep('t', { id, fileId: 'f', kind, size: 1000, ...overrides })
}

function taskOf(steps: Step[]) {
  return sampleTask('t', {
    files: [{ id: 'f', index: 0, name: 'f', size: null, selected: true }],
    steps,
  })
}

describe('progress', () => {
  test('of tracks with a mux fills 0–90, the mux 90–100', () => {
    const tracks = [step('v', 'download-video', { size: 3000 }), step('a', 'download-audio')]
    const mux = step('m', 'mux', { size: null })
    const at = (v: number, a: number, m: number) =>
      taskProgress(taskOf([...tracks, mux]), (id) => {
        if (id === 'm') return { doneBytes: 0, size: null, fraction: m }
        return { doneBytes: id === 'v' ? v : a, size: id === 'v' ? 3000 : 1000, fraction: 0 }
      })
    expect(at(0, 0, 0)).toBe(0)
    expect(at(1500, 500, 0)).toBeCloseTo(45)
    expect(at(3000, 1000, 0)).toBeCloseTo(90, 0)
    expect(at(3000, 1000, 0.5)).toBeCloseTo(95, 0)
  })

  test('is held at 99.9 until the file has its name', () => {
    const whole = step('d', 'download', { state: 'RUNNING', doneBytes: 1000 })
    expect(taskProgress(taskOf([whole]), stored)).toBeCloseTo(99.9)
    expect(taskProgress(taskOf([{ ...whole, state: 'COMPLETED' }]), stored)).toBe(100)
  })

  test('weighs by the plan while a size is unknown', () => {
    const tracks = [
      step('v', 'download-video', { size: null, weight: 9, fraction: 1, state: 'COMPLETED' }),
      step('a', 'download-audio', { weight: 1 }),
    ]
    expect(fileFraction(tracks, stored)).toBeCloseTo(0.9)
  })

  test('a skipped track counts as complete', () => {
    const tracks = [
      step('v', 'download-video', { state: 'COMPLETED' }),
      step('s', 'download-subtitle', { state: 'SKIPPED' }),
    ]
    expect(taskProgress(taskOf(tracks), stored)).toBe(100)
  })

  test('the shares of a bar sum to one', () => {
    const tracks = [
      step('v', 'download-video', { size: 3000 }),
      step('a', 'download-audio'),
      step('m', 'mux'),
    ]
    const sum = stepShares(tracks, stored).reduce((total, { share }) => total + share, 0)
    expect(sum).toBeCloseTo(1)
  })

  test('invariant 19: lies within 0–100, 100 exactly when complete', () => {
    const arbitrary = fc.record({
      state: fc.constantFrom(...stepStates),
      kind: fc.constantFrom<StepKind>('download-video', 'download-audio', 'mux', 'resolve', 'download'),
      size: fc.option(fc.nat({ max: 5000 })),
      doneBytes: fc.nat({ max: 9000 }),
      fraction: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(arbitrary, { minLength: 1, maxLength: 6 }), (list) => {
        const steps = list.map(({ kind, ...rest }, index) => step(`s${index}`, kind, rest))
        const progress = taskProgress(taskOf(steps), stored)
        expect(progress).toBeGreaterThanOrEqual(0)
        expect(progress).toBeLessThanOrEqual(100)
        const complete = list.every(({ state }) => state === 'COMPLETED' || state === 'SKIPPED')
        const cancelledOrFailed = list.some(({ state }) => state === 'CANCELLED' || state === 'FAILED')
        expect(progress === 100).toBe(complete && !cancelledOrFailed)
      }),
    )
  })
})

describe('remaining time', () => {
  test('is absent rather than absurd', () => {
    expect(remainingSeconds(1000, 100)).toBe(10)
    expect(remainingSeconds(null, 100)).toBeNull()
    expect(remainingSeconds(1000, 0)).toBeNull()
    expect(remainingSeconds(1e15, 1)).toBeNull()
    expect(remainingSeconds(-5, 100)).toBe(0)
  })
})
