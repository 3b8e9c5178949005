/**
 * The open answer that the resolve step leaves for the download step of the same attempt, so that a plain file
 * costs one request. It waits unread, and only for a few seconds.
 */
import type { Access } from '../../shared/task/access.ts'
import type { Source } from '../../shared/task/resource.ts'
import type { Engine } from './engine.ts'
import type { OpenResource } from './opened.ts'

type Asked = Pick<Source, 'url' | 'headers'>

function keyOf({ url, headers }: Asked, access: Access | undefined): string {
  return JSON.stringify([url, headers, access])
}

/** Leaves an open answer; it is closed when nobody takes it in time. */
export function leaveOpen(
  engine: Engine,
  asked: Asked,
  access: Access | undefined,
  resource: OpenResource,
): void {
  const key = keyOf(asked, access)
  takeOpen(engine, asked, access)?.close()
  const timer = setTimeout(() => {
    engine.handOvers.delete(key)
    resource.connection.destroy()
  }, engine.timings.handOverMs)
  timer.unref()
  engine.handOvers.set(key, { resource, timer })
}

/** Takes the open answer for this request, null when there is none any more. */
export function takeOpen(engine: Engine, asked: Asked, access: Access | undefined): OpenResource | null {
  const key = keyOf(asked, access)
  const left = engine.handOvers.get(key)
  if (left === undefined) return null
  clearTimeout(left.timer)
  engine.handOvers.delete(key)
  return left.resource
}
