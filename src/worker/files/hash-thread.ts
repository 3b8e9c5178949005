/** The thread that hashes a file behind its front: reads what it is told is settled, and gives the digest at the end. */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

export interface HashThreadData {
  readonly path: string
  readonly algorithm: string
}

/** All bytes below `upTo` are as they will stay; `last`: and they are the whole. */
export interface HashThreadOrder {
  readonly upTo: number
  readonly last: boolean
}

/** null: the file could not be read, or is shorter than was said. */
export interface HashThreadAnswer {
  readonly hex: string | null
}

const { path, algorithm } = workerData as HashThreadData
const hash = createHash(algorithm)
const buffer = Buffer.allocUnsafe(1024 * 1024)
const file = openSync(path, 'r')
let hashed = 0

function hashUpTo(end: number): boolean {
  while (hashed < end) {
    const count = readSync(file, buffer, 0, Math.min(buffer.length, end - hashed), hashed)
    if (count === 0) return false
    hash.update(buffer.subarray(0, count))
    hashed += count
  }
  return true
}

parentPort?.on('message', ({ upTo, last }: HashThreadOrder) => {
  let answer: HashThreadAnswer | null = null
  try {
    const isThere = hashUpTo(upTo)
    if (last || !isThere) answer = { hex: isThere ? hash.digest('hex') : null }
  } catch {
    answer = { hex: null }
  }
  if (answer === null) return
  closeSync(file)
  parentPort?.postMessage(answer)
  parentPort?.close()
})
