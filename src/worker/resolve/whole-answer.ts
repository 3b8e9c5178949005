/** Takes a small file with the answer that its plan is made of, where it is all there at once. */
import { putDown } from '../files/arrival.ts'
import type { Engine } from '../transfer/engine.ts'
import type { OpenResource } from '../transfer/opened.ts'
import { slabBytes } from '../transfer/slab-pool.ts'

/** Up to here an answer is waited for in memory; every kept connection may have held so much once. */
const mostBytes = 64 * 1024
/** A host that has not sent that much in this time is slow: its file is downloaded, where one can look on and stop it. */
const patienceMs = 100

/** Whether the file lies whole and synced at `path`; the answer is used up then, and else as it was. */
export async function takeWhole(engine: Engine, resource: OpenResource, path: string): Promise<boolean> {
  const { connection } = resource
  const length = lengthInOneGo(resource)
  if (length === null) return false
  const bytes = await connection.peek(length, patienceMs)
  if (bytes.length < length || !(await hasRoom(engine, path, length))) return false
  if (!(await putDown(path, bytes, { pace: engine.writePace, syncs: engine.syncs }))) return false
  connection.receive({ slabBytes, data: () => true, ended: () => resource.close() }, null)
  return true
}

/** How long the file is, when this answer is all of it and nothing has to be proved but that. */
function lengthInOneGo({ status, head, facts, contentRange }: OpenResource): number | null {
  const { length } = facts
  if (length === null || length === 0 || length > mostBytes || facts.checksum !== null) return null
  if (head.framing.kind !== 'length' || head.framing.length !== length) return null
  if (status === 206) return contentRange?.kind === 'range' && contentRange.start === 0 ? length : null
  return status === 200 ? length : null
}

async function hasRoom(engine: Engine, path: string, length: number): Promise<boolean> {
  return engine.room.free(path, length).then(
    (freeBytes) => freeBytes >= length,
    () => false,
  )
}
