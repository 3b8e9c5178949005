import { expect, it } from 'vitest'
import type { StepProgress } from '../step-executor.ts'
import { ProgressReport } from './progress-report.ts'

function made() {
  const told: StepProgress[] = []
  return { told, progress: new ProgressReport((progress) => told.push(progress)) }
}

const file = (bytes: number, inFlight = 0) => ({ written: [[0, bytes]] as [number, number][], inFlight })
const transfer = (buffered: number) => ({ buffered, ranges: () => [] })

it('counts what is written, what is on its way to the file and what waits for that', () => {
  const { told, progress } = made()
  progress.report({ activity: 'transferring', size: 100, file: file(30, 10), transfer: transfer(5) })
  expect(told).toMatchObject([{ doneBytes: 45, fraction: 0.45, ranges: [] }])
})

it('a tail that is fetched twice takes the count neither beyond the size nor back', () => {
  const { told, progress } = made()
  const facts = { activity: 'transferring', size: 100, transfer: null } as const
  progress.report({ ...facts, file: file(90, 20) })
  progress.report({ ...facts, file: file(95) })
  progress.drop()
  progress.report({ ...facts, file: file(10) })
  expect(told.map(({ doneBytes }) => doneBytes)).toEqual([100, 100, 10])
})

it('has a speed only while bytes flow, and no share of what has no known end', () => {
  const { told, progress } = made()
  const facts = { size: null, file: file(500), transfer: null } as const
  progress.begin(0)
  progress.measure(1000, 500)
  for (const activity of ['connecting', 'transferring', 'flushing'] as const)
    progress.report({ ...facts, activity })
  expect(told.map(({ bytesPerSecond }) => bytesPerSecond)).toEqual([0, 500, 0])
  expect(told.map(({ fraction }) => fraction)).toEqual([0, 0, 0])
})
