import { describe, expect, it } from 'vitest'
import { sampleTask } from '../../../test/contracts/sample-task.ts'
import { claimsOf } from './claims.ts'

describe('the claims of a task', () => {
  const files = { join: (folder: string, name: string) => `${folder}/${name}` }
  const base = sampleTask('a')
  const named = (name: string) => ({
    ...base,
    files: [],
    parameters: { ...base.parameters, folder: '/d', name },
  })

  it('are derived once for each version of it', () => {
    const task = named('One.bin')
    expect(claimsOf(task, files)).toBe(claimsOf(task, files))
    expect(claimsOf(named('Two.bin'), files).map(({ foldedPath }) => foldedPath)).toContain('/d/two.bin')
    expect(claimsOf(task, files).map(({ foldedPath }) => foldedPath)).toContain('/d/one.bin')
  })
})
