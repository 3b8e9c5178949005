/**
 * A small file that came whole with the answer to its first request: it is put down and synced at once, and needs only
 * its name any more. It gets no folder: to make one and remove it takes a file system longer than to write the file.
 */
import { closeSync, unlinkSync, writeSync } from 'node:fs'
import type { JointSyncs } from './joint-syncs.ts'
import { openNewSync } from './new-file.ts'
import type { WritePace } from './write-pace.ts'

/**
 * Makes a durable file of these bytes, in place of what an earlier attempt left there. False, and nothing is left, where
 * that cannot be done, or not quickly: whoever downloads the file meets the same trouble and tells it.
 */
export async function putDown(
  path: string,
  bytes: Buffer,
  { pace, syncs }: { pace: WritePace; syncs: JointSyncs },
): Promise<boolean> {
  if (!pace.isQuick) return false
  let descriptor: number | null = null
  try {
    descriptor = pace.onTheSpot(() => openNewSync(path))
    writeAll(descriptor, bytes, pace)
    await syncs.run(descriptor)
    return true
  } catch {
    if (descriptor !== null) remove(path)
    return false
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

/** What cannot be removed now goes with the task, or when it is tried again. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // the drive is what failed before
  }
}

function writeAll(descriptor: number, bytes: Buffer, pace: WritePace): void {
  for (let at = 0; at < bytes.length;) {
    const from = at
    at += pace.onTheSpot(() => writeSync(descriptor, bytes, from, bytes.length - from, from))
  }
}
