/**
 * The validator. Every schema takes it from here, so that it is set up before the first one is made. It would turn
 * each schema into code of its own when it first checks something: that costs a process more at its start (a tenth of
 * a short download) than it ever gets back, and the window's content policy forbids it.
 */
import { z } from 'zod'

z.config({ jitless: true })

/**
 * A schema that is made when it is first looked at. There are hundreds, of which one process needs few, and making
 * them all is another tenth of a short download. What is made of a deferred one (`.optional()`, `.extend()`) looks at
 * it, and belongs into a deferred one itself.
 */
export function deferred<Schema extends z.ZodType>(make: () => Schema): Schema {
  let made: Schema | null = null
  const schema = () => (made ??= make())
  return new Proxy({} as Schema, {
    get: (_, key) => Reflect.get(schema(), key) as unknown,
    has: (_, key) => Reflect.has(schema(), key),
  })
}

export { z }
