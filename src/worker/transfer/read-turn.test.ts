import { expect, it } from 'vitest'
import { mostReadingMs, ReadTurn } from './read-turn.ts'

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

it('a turn is over when it has read for long, and the next one begins anew', async () => {
  let now = 1000
  const turn = new ReadTurn(() => now)
  expect(turn.isOver()).toBe(false)
  now += mostReadingMs - 1
  expect(turn.isOver()).toBe(false)
  now += 1
  expect(turn.isOver()).toBe(true)
  await endOfTurn()
  expect(turn.isOver()).toBe(false)
})

it('who waits is called once, at the end of the turn, and may wait again', async () => {
  const turn = new ReadTurn(() => 0)
  const called: string[] = []
  turn.isOver()
  turn.wait(() => {
    called.push('first')
    turn.isOver()
    turn.wait(() => called.push('second'))
  })
  expect(called).toEqual([])
  await endOfTurn()
  expect(called).toEqual(['first'])
  await endOfTurn()
  expect(called).toEqual(['first', 'second'])
  await endOfTurn()
  expect(called).toEqual(['first', 'second'])
})
