import { describe, expect, test } from 'vitest'
import { cellStates, mapBox, mapLayout, mapPath } from './range-map.ts'

describe('the map of a file', () => {
  test('tells what is durable, arriving, held and to come apart', () => {
    const step = {
      size: 1000,
      durable: [[0, 200]] as [number, number][],
      ranges: [{ start: 0, next: 450, end: 500, bytesPerSecond: 1 }],
    }
    expect(cellStates(step, 10)).toEqual([
      'here',
      'here',
      'held',
      'held',
      'arriving',
      'come',
      'come',
      'come',
      'come',
      'come',
    ])
  })

  test('has no arriving cell for a connection that is done', () => {
    const step = { size: 100, durable: [], ranges: [{ start: 0, next: 50, end: 50, bytesPerSecond: 0 }] }
    expect(cellStates(step, 4)).toEqual(['held', 'held', 'come', 'come'])
  })

  test('is whole when the file is, though cells do not end on whole bytes', () => {
    const step = { size: 1000, durable: [[0, 1000]] as [number, number][], ranges: [] }
    expect(new Set(cellStates(step, 396))).toEqual(new Set(['here']))
  })

  test('is not drawn while the length is not known', () => {
    expect(cellStates({ size: null, durable: [], ranges: [] }, 10)).toBeNull()
  })

  test('has no more cells than bytes', () => {
    expect(mapLayout(5).cells).toBe(5)
    expect(mapLayout(5_000_000).cells).toBe(396)
    expect(mapBox({ columns: 33, cells: 34 })).toEqual({ width: 328, height: 18 })
  })

  test('is one path per state', () => {
    expect(mapPath(['here', 'come', 'here'], 'here', 2)).toBe('M0 0h8v8h-8zM0 10h8v8h-8z')
    expect(mapPath(['arriving'], 'arriving', 2)).toBe('M0.75 0.75h6.5v6.5h-6.5z')
    expect(mapPath(['here'], 'held', 2)).toBe('')
  })
})
