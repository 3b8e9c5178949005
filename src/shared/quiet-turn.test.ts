import { beforeEach, expect, test } from 'vitest'
import { onQuietTurn } from './quiet-turn.ts'

let ends: (() => void)[]
let there: number
let acts: number

beforeEach(() => {
  ends = []
  there = 1
  acts = 0
  onQuietTurn(
    () => there,
    (end) => ends.push(end),
    () => acts++,
  )
})

function endTurn(): void {
  ends.shift()?.()
}

test('what comes alone goes at the end of its turn', () => {
  expect(acts).toBe(0)
  endTurn()
  expect(acts).toBe(1)
  expect(ends).toEqual([])
})

test('while each turn brings more nothing goes yet', () => {
  for (let turn = 1; turn < 4; turn++) {
    there++
    endTurn()
  }
  expect(acts).toBe(0)
  endTurn()
  expect(acts).toBe(1)
})

test('after eight turns all goes, though more keeps coming', () => {
  for (let turn = 1; turn < 8; turn++) {
    there++
    endTurn()
  }
  expect(acts).toBe(0)
  there++
  endTurn()
  expect(acts).toBe(1)
  expect(ends).toEqual([])
})
