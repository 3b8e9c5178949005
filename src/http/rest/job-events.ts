/**
 * The events of one job: what it is, then every change of its state, its figures while it runs, and its end. It looks
 * at the job at a steady pace and only when the client has taken what was said before: a slow client costs nothing.
 */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isTerminal } from '../../shared/task/derive.ts'
import { endedSummary, summaryOf } from './job-view.ts'
import { findJob } from './jobs.ts'
import type { RestContext } from './route.ts'
import type { JobSummary } from './schemas.ts'
import { eventText, keepAliveMs, keepAliveText } from './server-sent-events.ts'

/** Time from look to look: at least two a second, also where one takes its time. */
const paceMs = 350
const shortestRestMs = 50

/** @throws SluiceError `JOB_NOT_FOUND`, before anything is said */
export async function jobEvents(id: string, context: RestContext): Promise<Readable> {
  const first = await look(id, context)
  return Readable.from(follow(id, first, context), { objectMode: false })
}

interface Seen {
  summary: JobSummary
  hasEnded: boolean
}

async function look(id: string, context: RestContext): Promise<Seen> {
  const { job, row, supersededBy } = await findJob(id, context)
  const summary = row === null ? endedSummary(job, supersededBy) : summaryOf(row, job)
  return { summary, hasEnded: row === null || isTerminal(row.state) }
}

async function* follow(id: string, first: Seen, context: RestContext): AsyncGenerator<string> {
  yield eventText({ name: 'snapshot', data: first.summary })
  let seen = first
  let saidAt = performance.now()
  let lookedAt = saidAt
  while (!seen.hasEnded) {
    await sleep(Math.max(shortestRestMs, paceMs - (performance.now() - lookedAt)))
    lookedAt = performance.now()
    const before = seen
    const now = await lookAgain(id, context)
    if (now === null) return
    seen = now
    const text = news(before.summary, seen)
    if (text !== '' || performance.now() - saidAt > keepAliveMs) {
      yield text === '' ? keepAliveText : text
      saidAt = performance.now()
    }
  }
  yield eventText({ name: seen.summary.status, data: seen.summary })
}

/** Null when the job has gone meanwhile: there is nothing more to say. */
async function lookAgain(id: string, context: RestContext): Promise<Seen | null> {
  try {
    return await look(id, context)
  } catch {
    // removed with its task, or the host is closing: the stream ends in both cases
    return null
  }
}

function news(before: JobSummary, { summary, hasEnded }: Seen): string {
  if (hasEnded) return ''
  const stateOf = (job: JobSummary): string =>
    JSON.stringify([job.state, job.pause_reason, job.stop_requested, job.queue_position, job.error])
  const texts: string[] = []
  if (stateOf(before) !== stateOf(summary)) texts.push(eventText({ name: 'status', data: summary }))
  if (summary.state === 'running') texts.push(eventText({ name: 'progress', data: summary }))
  return texts.join('')
}
