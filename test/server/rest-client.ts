/**
 * A client of the REST API that trusts nothing: every answer has to be declared by the served OpenAPI document and to
 * fit the schema of its route. What was seen is kept, so that a test can tell what was never asked.
 */
import { expect, vi } from 'vitest'
import { z } from 'zod'
import { errorEnvelopeSchema } from '../../src/shared/contract/error-envelope.ts'
import { EventsHub } from '../../src/http/rest/events-hub.ts'
import { restRoutes } from '../../src/http/rest/bind.ts'
import type { RestRoute } from '../../src/http/rest/route.ts'
import type { JobStatus, JobSummary, JobView } from '../../src/http/rest/schemas.ts'
import {
  acceptedSchema,
  historyEntrySchema,
  jobSchema,
  jobSummarySchema,
} from '../../src/http/rest/schemas.ts'
import type { TestServer } from './running-server.ts'

const neverConnected = () => {
  throw new Error('the table alone is looked at')
}
export const routes = restRoutes(new EventsHub(neverConnected))

const jobs = '/api/download/jobs'
const listSchema = z.object({ jobs: z.array(z.union([jobSchema, jobSummarySchema])) })
const historySchema = z.object({ entries: z.array(historyEntrySchema) })

export interface Answer {
  status: number
  body: unknown
  headers: Headers
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, unknown> } | undefined> | undefined>
}

export class RestClient {
  readonly server: TestServer
  /** `METHOD /path status` of every answer */
  readonly seen = new Set<string>()
  readonly document: Document

  private constructor(server: TestServer, document: Document) {
    this.server = server
    this.document = document
  }

  static async of(server: TestServer): Promise<RestClient> {
    const response = await server.fetch('/api/openapi.json')
    return new RestClient(server, (await response.json()) as Document)
  }

  get(target: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask('GET', target, undefined, headers)
  }
  post(target: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask('POST', target, body, headers)
  }
  patch(target: string, body: unknown): Promise<Answer> {
    return this.ask('PATCH', target, body)
  }
  delete(target: string): Promise<Answer> {
    return this.ask('DELETE', target)
  }

  async ask(
    method: RestRoute['method'],
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await this.server.fetch(target, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = {
      status: response.status,
      body: text === '' ? null : parsed(text),
      headers: response.headers,
    }
    this.#check(method, target, answer)
    return answer
  }

  #check(method: RestRoute['method'], target: string, { status, body }: Answer): void {
    const asked = routeOf(method, target)
    expect(asked, `${method} ${target} is in the table`).toBeDefined()
    if (asked === undefined) return
    const declared = this.document.paths[asked.path]?.[method.toLowerCase()]?.responses
    expect(Object.keys(declared ?? {}), `${method} ${asked.path} declares ${status}`).toContain(
      String(status),
    )
    this.seen.add(`${method} ${asked.path} ${status}`)
    const facts = asked.answers[status]
    const schema: z.ZodType | null | 'events' = facts === undefined ? errorEnvelopeSchema : facts.body
    if (schema === null) expect(body).toBeNull()
    else if (schema !== 'events') schema.parse(body)
  }

  async job(id: string): Promise<JobView> {
    return jobSchema.parse((await this.get(`${jobs}/${id}`)).body)
  }

  /** The list, `query` with its question mark. */
  async jobs(query = ''): Promise<(JobView | JobSummary)[]> {
    return listSchema.parse((await this.get(`${jobs}${query}`)).body).jobs
  }

  async history(query = ''): Promise<z.infer<typeof historyEntrySchema>[]> {
    return historySchema.parse((await this.get(`/api/history${query}`)).body).entries
  }

  /** Asks for something that begins a new job, and answers its id. */
  async accepted(answer: Promise<Answer>): Promise<string> {
    const { status, body } = await answer
    expect(status).toBe(202)
    return acceptedSchema.parse(body).job_id
  }

  /** Polls a job until it has this status. */
  async until(id: string, status: JobStatus): Promise<JobView> {
    await vi.waitUntil(async () => (await this.job(id)).status === status, { timeout: 30_000, interval: 50 })
    return this.job(id)
  }
}

/** `JSON.parse` says `any`; what it gives is looked at by schemas. */
function parsed(text: string): unknown {
  return JSON.parse(text)
}

function routeOf(method: string, target: string): RestRoute | undefined {
  const path = target.replace(/\?.*$/s, '')
  const fits = (pattern: string): boolean => {
    const parts = pattern.split('/')
    const given = path.split('/')
    return (
      parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at])
    )
  }
  const candidates = routes.filter((each) => each.method === method && fits(each.path))
  return candidates.find((each) => each.path === path) ?? candidates[0]
}

/** Every success that some route declares, as `METHOD /path status`. */
export const declaredSuccesses: string[] = routes.flatMap((each) =>
  Object.keys(each.answers).map((status) => `${each.method} ${each.path} ${status}`),
)

/** The events of a stream until it ends or `enough` says so. */
export async function readEvents(
  server: TestServer,
  target: string,
  options: { headers?: Record<string, string>; enough?: (events: SeenEvent[]) => boolean } = {},
): Promise<SeenEvent[]> {
  const controller = new AbortController()
  const response = await server.fetch(target, { headers: options.headers ?? {}, signal: controller.signal })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const events: SeenEvent[] = []
  let text = ''
  try {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString('utf8')
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = parseEvent(text.slice(0, end))
        text = text.slice(end + 2)
        if (event !== null) events.push(event)
      }
      if (options.enough?.(events) === true) break
    }
  } finally {
    controller.abort()
  }
  return events
}

export interface SeenEvent {
  name: string
  id: string | undefined
  data: unknown
  at: number
}

function parseEvent(text: string): SeenEvent | null {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
  const data = field('data')
  if (data === undefined) return null
  return {
    name: field('event') ?? '',
    id: field('id'),
    data: parsed(data),
    at: performance.now(),
  }
}
