import { expect, it } from 'vitest'
import { deferred, z } from './validator.ts'

function counted() {
  let times = 0
  const inner = deferred(() => {
    times += 1
    return z.strictObject({ name: z.string() })
  })
  return { inner, times: () => times }
}

it('a deferred schema is made at the first look, once', () => {
  const { inner, times } = counted()
  const outer = deferred(() => z.object({ inner, list: z.array(inner) }))
  expect(times()).toBe(0)
  expect(outer.safeParse({ inner: { name: 'a' }, list: [{ name: 'b' }] }).success).toBe(true)
  expect(outer.safeParse({ inner: { name: 1 }, list: [] }).success).toBe(false)
  expect(inner.safeParse({ name: 'a', more: 1 }).success).toBe(false)
  expect(times()).toBe(1)
})

it('is to other schemas, and to what describes them, as if it had been made at once', () => {
  const { inner } = counted()
  const plain = z.strictObject({ name: z.string() })
  const around = (schema: typeof inner) =>
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('one'), value: schema.nullable() }),
      z.object({ kind: z.literal('more'), values: z.array(schema), either: z.union([schema, z.number()]) }),
    ])
  expect(z.toJSONSchema(around(inner))).toEqual(z.toJSONSchema(around(plain)))
  const value = { kind: 'more', values: [{ name: 'a' }], either: 7 }
  expect(around(inner).parse(value)).toEqual(value)
  expect(() => around(inner).parse({ kind: 'one', value: { nam: 'a' } })).toThrow(z.ZodError)
})
