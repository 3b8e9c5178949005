/** What it takes to stop: how soon after a pause no byte comes any more, and what a pause or a kill has cost. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addRange, missingRanges, totalBytes } from '../src/worker/transfer/range-set.ts'
import type { RangeSet } from '../src/worker/transfer/range-set.ts'
import { median } from './measure.ts'
import { startThrottled } from './origin.ts'
import type { Answer, ThrottledOrigin } from './origin.ts'
import { MiB } from './rows.ts'
import { Service, until } from './service.ts'
import type { Bench } from './targets.ts'

const length = 192 * MiB
/** 32 MiB/s in all: two seconds of it are 64 MiB, so both bounds of a kill are the same */
const connections = 8
const rate = 4 * MiB

function sentBytes(answers: readonly Answer[]): number {
  return answers.reduce((sum, { sent }) => sum + sent, 0)
}

/** Which bytes of the file these answers gave. */
function given(answers: readonly Answer[]): RangeSet {
  return answers.reduce<RangeSet>((set, { start, sent }) => addRange(set, start, start + sent), [])
}

/** Bytes that were given by the first `count` answers and again by later ones. */
function givenTwice(answers: readonly Answer[], count: number): number {
  const before = given(answers.slice(0, count))
  const after = given(answers.slice(count))
  return after.reduce(
    (sum, [start, end]) => sum + (end - start) - totalBytes(missingRanges(before, start, end)),
    0,
  )
}

interface Pause {
  /** from the order to the last byte that was sent */
  silentAfterMs: number
  /** bytes that the job said it had and asked for again */
  againBytes: number
  /** bytes that were sent before and after, with what lay in buffers unread when the connections were closed */
  twiceBytes: number
}

async function untilGone(origin: ThrottledOrigin): Promise<void> {
  await until(() => origin.answers.every(({ endedAt }) => endedAt !== null), 'all connections were closed')
}

async function pauseOnce(folder: string, origin: ThrottledOrigin): Promise<Pause> {
  const service = await Service.start(join(folder, 'data'), join(folder, 'downloads'))
  try {
    const id = await service.add(origin.url, connections)
    await until(() => sentBytes(origin.answers) >= length / 3, 'a third was sent')
    const orderedAt = performance.now()
    await service.order(id, 'pause')
    await untilGone(origin)
    await service.reaches(id, 'paused')
    const count = origin.answers.length
    const lastByteAt = Math.max(...origin.answers.map(({ sentAt }) => sentAt))
    const missing = length - (await service.job(id)).done_bytes
    await service.order(id, 'resume')
    await service.reaches(id, 'completed')
    return {
      silentAfterMs: Math.max(0, lastByteAt - orderedAt),
      againBytes: Math.max(0, totalBytes(given(origin.answers.slice(count))) - missing),
      twiceBytes: givenTwice(origin.answers, count),
    }
  } finally {
    await service.end('SIGTERM')
  }
}

/** Bytes that were sent before a kill and again after it. */
async function killOnce(folder: string, origin: ThrottledOrigin, killedAfter: number): Promise<number> {
  const folders = [join(folder, 'data'), join(folder, 'downloads')] as const
  let service = await Service.start(...folders)
  try {
    const id = await service.add(origin.url, connections)
    await until(() => sentBytes(origin.answers) >= killedAfter, 'enough was sent')
    await service.end('SIGKILL')
    await untilGone(origin)
    const count = origin.answers.length
    service = await Service.start(...folders)
    await service.reaches(id, 'completed')
    return givenTwice(origin.answers, count)
  } finally {
    await service.end('SIGTERM')
  }
}

/** Runs something with a folder and a server of its own. */
async function inFolder<T>(
  scratch: string,
  run: (folder: string, origin: ThrottledOrigin) => Promise<T>,
): Promise<T> {
  const origin = await startThrottled(length, () => rate)
  const folder = join(scratch, 'run')
  await mkdir(folder)
  try {
    return await run(folder, origin)
  } finally {
    await origin.close()
    await rm(folder, { recursive: true })
  }
}

function range(values: readonly number[], decimals: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(decimals)} [${least.toFixed(decimals)}–${most.toFixed(decimals)}]`
}

export const stopBench: Bench = {
  id: 'stop',
  run: async (scratch, rounds) => {
    const pauses: Pause[] = []
    const kills: number[] = []
    for (let round = 0; round < rounds; round++) {
      pauses.push(await inFolder(scratch, pauseOnce))
      // at another time since the last checkpoint in every round
      const killedAfter = length / 2 + (round % 8) * 8 * MiB
      kills.push(await inFolder(scratch, (folder, origin) => killOnce(folder, origin, killedAfter)))
      const news = JSON.stringify({ ...pauses.at(-1), killTwiceBytes: kills.at(-1) })
      process.stdout.write(`stop ${round + 1}/${rounds}: ${news}\n`)
    }
    const silent = pauses.map(({ silentAfterMs }) => silentAfterMs)
    const again = pauses.map(({ againBytes }) => againBytes / MiB)
    const afterPause = pauses.map(({ twiceBytes }) => twiceBytes / MiB)
    const afterKill = kills.map((bytes) => bytes / MiB)
    return {
      text: [
        '## Stopping',
        '',
        '192 MiB over 8 connections of 4 MiB/s each, by `sluice serve`. A pause is ordered over the REST API, a kill is `kill -9` of all its processes, and both go on afterwards. What was sent and asked for is taken from the log of the sending server, what the job had from its `done_bytes`; what was sent twice contains what lay in buffers unread when the connections were closed.',
        '',
        '| | pause | kill -9 |',
        '|---|---|---|',
        `| ms until no byte came, median [min–max] | ${range(silent, 0)} | |`,
        `| MiB asked for again that the job had, median [min–max] | ${range(again, 2)} | |`,
        `| MiB sent twice, median [min–max] | ${range(afterPause, 2)} | ${range(afterKill, 2)} |`,
        '',
      ].join('\n'),
      targets: [
        {
          work: 'pause: from the order to no more bytes',
          figures: [{ name: '', value: median(silent), bound: 200, stretch: 100, decimals: 0, unit: ' ms' }],
        },
        {
          work: 'bytes fetched twice',
          figures: [
            {
              name: 'after a pause',
              value: Math.max(...again),
              bound: 0,
              stretch: null,
              decimals: 2,
              unit: ' MiB',
            },
            {
              name: 'after kill -9',
              value: Math.max(...afterKill),
              bound: 64,
              stretch: null,
              decimals: 1,
              unit: ' MiB',
            },
          ],
        },
      ],
    }
  },
}
