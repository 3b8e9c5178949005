import { expect, test } from 'vitest'
import { poolCapBytes, slabBytes, SlabPool } from './slab-pool.ts'

test('slabs are as large as wanted while at most half of the pool is in use', () => {
  const pool = new SlabPool()
  while (pool.usedBytes < poolCapBytes / 2) expect(pool.take(slabBytes).bytes).toHaveLength(slabBytes)
  expect(pool.take(64 * 1024).bytes).toHaveLength(64 * 1024)
})

test('128 connections of several attempts can each fill a slab, and the pool still has room', () => {
  const pool = new SlabPool()
  const slabs = Array.from({ length: 128 }, () => pool.take(slabBytes))
  expect(pool.exhausted).toBe(false)
  for (const slab of slabs) pool.release(slab)
  expect(pool.usedBytes).toBe(0)
  expect(pool.take(slabBytes).bytes).toHaveLength(slabBytes)
})
