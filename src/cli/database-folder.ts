/**
 * Where a `get` remembers its tasks: a folder beside what it downloads, named by what was asked for, so that the
 * same command finds it again and goes on.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { GetRequest } from './get-options.ts'

/** Absolute path; the same for the same links, output name and kind of result, whatever the other options. */
export function databaseFolder(request: GetRequest): string {
  const { links, options } = request
  const asked = JSON.stringify([links, options.name ?? null, options.direct === true])
  const hash = createHash('sha256').update(asked).digest('hex').slice(0, 12)
  return join(request.folder, `.sluice-${hash}`)
}
