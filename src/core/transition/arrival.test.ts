import { expect, test } from 'vitest'
import { plainPlan } from '../../../test/fakes/core-world.ts'
import { testContext } from '../../../test/fakes/task-states.ts'
import { sampleAttempt, sampleTask } from '../../../test/contracts/sample-task.ts'
import type { Plan, Request, Task } from '../../shared/task/model.ts'
import { withArrival } from './arrival.ts'
import { beginAttempt } from './attempt.ts'
import { stepEnded } from './outcome.ts'
import { resolveStep } from './plan.ts'

const names = { from: '/d/.arrived', to: '/d/a.bin' }

function resolved(plan: Plan, change: Partial<Task> = {}) {
  const ctx = testContext()
  const waiting: Task = { ...sampleTask('t'), files: [], steps: [resolveStep('r')], attempt: null }
  const { task } = beginAttempt(waiting, sampleAttempt('t', 1), ctx)
  const end = { kind: 'completed', result: { kind: 'plan', plan } } as const
  return stepEnded({ ...task, ...change }, 'r', end, ctx)
}

function leaveIn(plan: Plan, change: Partial<Task> = {}) {
  const { task } = withArrival(resolved(plan, change), () => names)
  return task.steps.map((step) => step.publishing).filter((publishing) => publishing !== null)
}

test('the download that follows a plan starts with the leave to publish what came with it', () => {
  const ended = resolved(plainPlan('a.bin'))
  const { task, effects } = withArrival(ended, () => names)
  expect(task.steps.at(-1)).toMatchObject({ kind: 'download', state: 'RUNNING', publishing: names })
  expect(effects).toBe(ended.effects)
})

test('a task that is asked for something gets no leave', () => {
  const requests: Request[] = [
    { kind: 'pause', at: 1 },
    { kind: 'cancel', at: 1 },
  ]
  for (const request of requests) expect(leaveIn(plainPlan('a.bin'), { request })).toEqual([])
})

test('where the file is not the one download that follows, nothing has leave', () => {
  const [file] = plainPlan('a.bin').files
  const [step] = file?.steps ?? []
  if (file === undefined || step === undefined) throw new Error('a plain plan has one step')
  const muxed = { ...file, steps: [step, { ...step, stage: step.stage + 1 }] }
  expect(leaveIn({ ...plainPlan('a.bin'), files: [muxed] })).toEqual([])
  const tracks = { ...file, steps: [step, step] }
  expect(leaveIn({ ...plainPlan('a.bin'), files: [tracks] })).toEqual([])
})
