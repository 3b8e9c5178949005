import { expect, test } from 'vitest'
import { stepOf, tasks } from '../../../test/fakes/task-states.ts'
import { withCheckpoint, withFacts } from './reports.ts'

const durable = (bytes: number) => {
  const { checkpoint } = stepOf(tasks.RUNNING, 'video')
  if (checkpoint?.kind !== 'ranges') throw new Error('the sample has no ranges')
  return { ...checkpoint, ranges: [[0, bytes]] as [number, number][] }
}

test('new durable bytes forgive earlier failures and crashes', () => {
  const tired = { ...tasks.RUNNING, crashes: 2, networkPauses: 3 }
  const task = withCheckpoint(tired, 'video', durable(600))
  expect(task).toMatchObject({ crashes: 0, networkPauses: 0 })
  expect(stepOf(task, 'video')).toMatchObject({ doneBytes: 600, fraction: 0.6 })
  expect(withCheckpoint(tired, 'video', durable(400)).crashes).toBe(2)
})

test('fewer durable bytes than before say that the host has another version', () => {
  const task = withCheckpoint(tasks.RUNNING, 'video', durable(100))
  expect(task.setBack).toBe('changed')
  expect(stepOf(task, 'video').doneBytes).toBe(100)
})

test('a checkpoint of a step that does not run changes nothing', () => {
  expect(withCheckpoint(tasks.PAUSED_USER, 'audio', durable(900))).toBe(tasks.PAUSED_USER)
})

test('facts that the plan or an earlier answer told already change nothing', () => {
  const resource = {
    finalUrl: 'http://host.test/v',
    length: 1000,
    validator: { kind: 'etag' as const, value: '"a"' },
    acceptsRanges: true,
    contentType: null,
    checksum: null,
  }
  const facts = { preemptible: true, resource, suggestedName: null }
  const told = withFacts(tasks.RUNNING, 'video', facts)
  expect(withFacts(told, 'video', { ...facts, resource: { ...resource } })).toBe(told)
  expect(withFacts(told, 'video', { ...facts, preemptible: false })).not.toBe(told)
  const other = withFacts(told, 'video', { ...facts, resource: { ...resource, length: 2000 } })
  expect(stepOf(other, 'video').size).toBe(2000)
})
