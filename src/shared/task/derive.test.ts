import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveState, isComplete, relevantSteps, taskState } from './derive.ts'
import type { StepState, TaskState } from './model.ts'
import { stepStates } from './model.ts'
import { sampleStep, sampleTask } from '../../../test/contracts/sample-task.ts'

const table: [StepState[], TaskState][] = [
  [['WAITING'], 'WAITING'],
  [['RUNNING'], 'RUNNING'],
  [['PAUSED'], 'PAUSED'],
  [['COMPLETED'], 'COMPLETED'],
  [['SKIPPED'], 'COMPLETED'],
  [['FAILED'], 'FAILED'],
  [['CANCELLED'], 'CANCELLED'],
  [['CANCELLED', 'FAILED', 'RUNNING'], 'CANCELLED'],
  [['FAILED', 'RUNNING', 'WAITING'], 'FAILED'],
  [['FAILED', 'COMPLETED'], 'FAILED'],
  [['COMPLETED', 'SKIPPED'], 'COMPLETED'],
  [['COMPLETED', 'RUNNING', 'WAITING'], 'RUNNING'],
  [['RUNNING', 'PAUSED'], 'RUNNING'],
  [['COMPLETED', 'PAUSED', 'PAUSED'], 'PAUSED'],
  [['SKIPPED', 'PAUSED'], 'PAUSED'],
  [['PAUSED', 'WAITING'], 'WAITING'],
  [['COMPLETED', 'WAITING'], 'WAITING'],
]

describe('the state of a task', () => {
  test.each(table)('of steps %j is %s', (states, expected) => {
    expect(deriveState(states.map((state) => ({ state })))).toBe(expected)
  })

  test('B1 is PAUSED when a step was complete before the pause', () => {
    expect(deriveState([{ state: 'COMPLETED' }, { state: 'PAUSED' }])).toBe('PAUSED')
  })

  const states = fc.array(fc.constantFrom(...stepStates), { minLength: 1, maxLength: 8 })

  test('does not depend on the order of the steps', () => {
    fc.assert(
      fc.property(states, (list) => {
        const steps = list.map((state) => ({ state }))
        expect(deriveState(steps.toReversed())).toBe(deriveState(steps))
      }),
    )
  })

  test('is COMPLETED exactly when every step is complete', () => {
    fc.assert(
      fc.property(states, (list) => {
        const complete = deriveState(list.map((state) => ({ state }))) === 'COMPLETED'
        expect(complete).toBe(list.every(isComplete))
      }),
    )
  })

  test('invariant 3: unselected steps never influence it, whatever their state', () => {
    fc.assert(
      fc.property(states, fc.array(fc.constantFrom(...stepStates)), (selected, unselected) => {
        const files = [
          { id: 'a', index: 0, name: 'a', size: null, selected: true },
          { id: 'b', index: 1, name: 'b', size: null, selected: false },
        ]
        const steps = [
          ...selected.map((state, index) => sampleStep('t', { id: `a${index}`, fileId: 'a', state })),
          ...unselected.map((state, index) => sampleStep('t', { id: `b${index}`, fileId: 'b', state })),
        ]
        const task = sampleTask('t', { files, steps })
        expect(relevantSteps(task)).toHaveLength(selected.length)
        expect(taskState(task)).toBe(deriveState(selected.map((state) => ({ state }))))
      }),
    )
  })
})
