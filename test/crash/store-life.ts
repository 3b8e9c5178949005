/** One life of a process that writes to a store, and the proof that the next life finds what it was told is kept. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { pairs } from './store-writer.ts'

/** What was acknowledged over all lives. */
export class Acknowledged {
  /** highest number of each pair that must be there */
  readonly numbers = new Map<number, number>()
  token = 0
  commits = 0
  /** highest number that any writer got to, counted or not */
  highest = -1

  count({ what, value }: Said): void {
    if (what === 'token') this.token = Math.max(this.token, value)
    else {
      this.commits++
      this.numbers.set(value % pairs, Math.max(this.numbers.get(value % pairs) ?? -1, value))
    }
  }
}

interface Said {
  what: 'commit' | 'token'
  value: number
  /** monotonic clock of the machine, ns */
  at: bigint
}

function parseLine(line: string): Said {
  const match = /^(commit|token) (\d+) (\d+)$/.exec(line)
  if (match === null) throw new Error(`the writer said what nobody understands: ${line}`)
  const [, what, value, at] = match
  return { what: what === 'token' ? 'token' : 'commit', value: Number(value), at: BigInt(at ?? '') }
}

export interface StoreLife {
  readonly writer: ChildProcess
  /** resolves at the first acknowledged commit */
  readonly busy: Promise<void>
  /**
   * Waits until the writer has ended and all it said was heard, and counts it: all of it, or what was said before a
   * power cut began.
   */
  end(cutAt?: bigint): Promise<void>
}

/** Starts a writer on this data folder; it goes on where the others got to. */
export function startLife(dataFolder: string, acknowledged: Acknowledged): StoreLife {
  const program = join(import.meta.dirname, 'store-writer.ts')
  // room for numbers that were written but not acknowledged
  const first = String(acknowledged.highest + pairs)
  const writer = spawn(process.execPath, [program, dataFolder, first], { stdio: ['ignore', 'pipe', 'pipe'] })
  writer.stderr.resume()
  const lines = createInterface({ input: writer.stdout })
  const said: string[] = []
  let isBusy: () => void = () => undefined
  const busy = new Promise<void>((resolve) => (isBusy = resolve))
  lines.on('line', (line) => {
    said.push(line)
    if (line.startsWith('commit')) isBusy()
  })
  const over = Promise.all([once(lines, 'close'), once(writer, 'exit')]).then(() => undefined)
  return {
    writer,
    busy: Promise.race([busy, over]),
    async end(cutAt) {
      await over
      for (const one of said.map(parseLine)) {
        if (one.what === 'commit') acknowledged.highest = Math.max(acknowledged.highest, one.value)
        if (cutAt === undefined || one.at < cutAt) acknowledged.count(one)
      }
    },
  }
}

/** Every acknowledged commit is there, no half one is, tokens go on rising, and the file is sound. */
export async function expectKept(
  dataFolder: string,
  acknowledged: Acknowledged,
  life: string,
): Promise<void> {
  const store = await SqliteTaskStore.open({ dataFolder })
  const { tasks, quarantined } = await store.loadLive()
  const token = await store.nextToken()
  await store.close()
  expect(token, `${life}: a token is given twice`).toBeGreaterThan(acknowledged.token)
  acknowledged.token = token
  const titles = new Map(tasks.map((task) => [task.id, Number(task.title)]))
  for (const [pair, number] of acknowledged.numbers) {
    const kept = titles.get(`left-${pair}`) ?? -1
    expect(kept, `${life}: commit ${number} is lost`).toBeGreaterThanOrEqual(number)
  }
  for (let pair = 0; pair < pairs; pair++) {
    expect(titles.get(`left-${pair}`), `${life}: half a commit`).toBe(titles.get(`right-${pair}`))
  }
  expect(quarantined, life).toEqual([])
  expectSound(dataFolder, life)
}

export function expectSound(dataFolder: string, life: string): void {
  const database = new Database(join(dataFolder, 'sluice.db'))
  try {
    expect(database.pragma('integrity_check', { simple: true }), life).toBe('ok')
    expect(database.pragma('foreign_key_check'), life).toEqual([])
  } finally {
    database.close()
  }
}
