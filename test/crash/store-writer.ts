/**
 * `node store-writer.ts FOLDER FIRST`: commits without end and says each thing on stdout only when the store has
 * acknowledged it (a pipe is written synchronously: what was said survives a kill). Each commit writes a pair of tasks
 * with the same number, so that half a commit shows; several commits are asked for in one tick, as checkpoints are.
 */
import { writeSync } from 'node:fs'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { sampleTask } from '../contracts/sample-task.ts'

/** Numbers of pairs in use: each is written again and again. */
export const pairs = 40

/** With the moment, on the clock that all processes of the machine share: some moments are too late to count. */
const say = (what: string, value: number) =>
  void writeSync(1, `${what} ${value} ${process.hrtime.bigint()}\n`)

async function writeForEver(dataFolder: string, first: number): Promise<never> {
  const store = await SqliteTaskStore.open({ dataFolder, backUpAfterMs: 0 })
  const commit = async (number: number) => {
    const title = String(number)
    await store.commit(
      ['left', 'right'].map((side) => ({
        kind: 'put-task',
        task: sampleTask(`${side}-${number % pairs}`, { title }),
      })),
    )
    say('commit', number)
  }
  for (let number = first; ; number += 3) {
    await Promise.all([commit(number), commit(number + 1), commit(number + 2)])
    say('token', await store.nextToken())
  }
}

if (import.meta.main) await writeForEver(process.argv[2] ?? '', Number(process.argv[3] ?? 0))
