import { describe, expect, it } from 'vitest'
import { CryptoRandom } from './random.ts'

describe('ids', () => {
  const ids = (random: CryptoRandom, count: number) => Array.from({ length: count }, () => random.id())
  const beginning = (id: string) => id.slice(0, 8)

  it('are safe in any path, and differ in the digits that the command line shows', () => {
    const made = ids(new CryptoRandom(), 5000)
    for (const id of made) expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(new Set(made.map(beginning)).size).toBe(made.length)
  })

  it('follow one another, so that an index keeps together what is used together', () => {
    const numbers = ids(new CryptoRandom(), 100).map((id) => Number.parseInt(beginning(id), 16))
    for (const [index, number] of numbers.slice(1).entries()) {
      expect(number).toBe(((numbers[index] ?? 0) + 1) % 2 ** 32)
    }
  })

  it('begin somewhere else in each life, and cannot be guessed from one another', () => {
    const lives = Array.from({ length: 20 }, () => beginning(new CryptoRandom().id()))
    expect(new Set(lives).size).toBe(lives.length)
    const chances = ids(new CryptoRandom(), 1000).map((id) => id.slice(8))
    expect(new Set(chances).size).toBe(chances.length)
  })
})
