import { expect, it } from 'vitest'
import { SyncPlan } from './sync-plan.ts'

const MiB = 1024 * 1024

function begun(): SyncPlan {
  const plan = new SyncPlan(1600)
  plan.begin(1000)
  return plan
}

it('a checkpoint is due after its time, or after 64 MiB', () => {
  const plan = begun()
  expect(plan.due(2599, 10, true)).toBe(null)
  expect(plan.due(2600, 10, true)).toBe('checkpoint')
  expect(plan.due(2601, 10 + 64 * MiB, true)).toBe('checkpoint')
  expect(plan.due(4200, 10 + 64 * MiB, true)).toBe(null)
  expect(plan.due(4201, 10 + 64 * MiB, true)).toBe('checkpoint')
})

it('between checkpoints every 16 MiB are synced', () => {
  const plan = begun()
  expect(plan.due(1010, 16 * MiB - 1, true)).toBe(null)
  expect(plan.due(1020, 16 * MiB, true)).toBe('sync')
  expect(plan.due(1030, 32 * MiB - 1, true)).toBe(null)
  expect(plan.due(1040, 50 * MiB, true)).toBe('sync')
  expect(plan.due(1050, 64 * MiB, true)).toBe('checkpoint')
  expect(plan.due(1060, 80 * MiB - 1, true)).toBe(null)
  expect(plan.due(1070, 80 * MiB, true)).toBe('sync')
})

it('where no record is of use there are only syncs', () => {
  const plan = begun()
  expect(plan.due(9000, 1, false)).toBe(null)
  expect(plan.due(9000, 200 * MiB, false)).toBe('sync')
  plan.begin(9000)
  expect(plan.due(9000, 16 * MiB - 1, false)).toBe(null)
})
