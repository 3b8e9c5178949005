/** The REST API on Fastify: the table of routes, each behind its schemas, and the two streams of events. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from '../../shared/validator.ts'
import type { Clock } from '../../core/ports.ts'
import type { CommandInput, CommandResult, Commands } from '../../shared/contract/commands.ts'
import { SluiceError } from '../../shared/errors.ts'
import { sendRefusal } from '../answers.ts'
import { refusal } from '../gates.ts'
import type { ConnectClient } from '../network-clients.ts'
import type { EventsHub } from './events-hub.ts'
import { jobEvents } from './job-events.ts'
import { jobRoutes } from './job-routes.ts'
import { otherRoutes } from './other-routes.ts'
import { RepeatedRequests } from './repeated-requests.ts'
import { RequestRate } from './request-rate.ts'
import type { RestContext, RestRoute } from './route.ts'
import { events, route } from './route.ts'
import { jobParamsSchema } from './schemas.ts'

/** Streams of events at once, over all clients. */
const maxStreams = 16

/** All routes; OpenAPI is made of the same list. */
export function restRoutes(hub: EventsHub): readonly RestRoute[] {
  return [
    ...jobRoutes,
    route({
      method: 'GET',
      path: '/api/download/jobs/{id}/events',
      summary: 'Events of one job: snapshot, status, progress, and the one that ends it',
      params: jobParamsSchema,
      answers: { 200: { description: 'Server-sent events until the job has ended', body: 'events' } },
      errors: [404],
      handle: async ({ params }, context) => events(await jobEvents(params.id, context)),
    }),
    route({
      method: 'GET',
      path: '/api/events',
      summary: 'Events of the whole list; Last-Event-ID goes on where a client was',
      answers: { 200: { description: 'Server-sent events', body: 'events' } },
      errors: [],
      handle: async (_input, { header }) => events(await hub.stream(header('last-event-id'))),
    }),
    ...otherRoutes,
  ]
}

export interface RestApiOptions {
  connect: ConnectClient
  clock: Pick<Clock, 'monotonic'>
  hub: EventsHub
  routes: readonly RestRoute[]
  /** the streams of events that are open are kept here */
  streams: Set<Readable>
  workerOutput?: RestContext['workerOutput']
}

/** `app` has its gates already. */
export function bindRestApi(app: FastifyInstance, options: RestApiOptions): void {
  const { hub, streams } = options
  const client = options.connect(() => {
    // calls have no events; the hub has a connection of its own
  })
  const rate = new RequestRate(options.clock)
  const repeated = new RepeatedRequests()
  app.addHook('onClose', (_app, done) => {
    for (const stream of streams) stream.destroy()
    hub.close()
    client.close()
    done()
  })

  const contextOf = (request: FastifyRequest): RestContext => ({
    workerOutput: options.workerOutput,
    header: (name) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    call: async <N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> => {
      const answer = await client.call(name, input)
      if (!answer.ok) throw SluiceError.fromRecord(answer.error)
      // the core answers a command with that command's result
      return answer.value as CommandResult<N>
    },
  })

  const carryOut = async (
    each: RestRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const isQueueing = each.path === '/api/download'
    const wait = isQueueing ? rate.take(request.ip) : 0
    if (wait > 0 || (isEventRoute(each) && streams.size >= maxStreams)) return sendTooMany(reply, wait || 10)
    const context = contextOf(request)
    const input = inputOf(each, request)
    const act = () => each.handle(input, context)
    const answer = await (isQueueing
      ? repeated.once(context.header('idempotency-key'), input.body, act)
      : act())
    if (answer.isEvents) return sendEvents(reply, answer.body as Readable, streams)
    return reply.code(answer.status).send(answer.body ?? undefined)
  }

  for (const each of options.routes) {
    app.route({
      method: each.method,
      url: each.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => carryOut(each, request, reply),
    })
  }
}

const isEventRoute = ({ answers }: RestRoute): boolean => answers[200]?.body === 'events'

function inputOf(each: RestRoute, request: FastifyRequest): Parameters<RestRoute['handle']>[0] {
  return {
    params: fitting('path', each.params ?? z.strictObject({}), request.params),
    query: fitting('query', each.query ?? z.strictObject({}), request.query),
    // a route without a body takes none, and an empty object as none
    body: fitting('body', each.body ?? z.strictObject({}).optional(), request.body ?? undefined),
  }
}

function fitting(part: string, schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = [part, ...(issue?.path ?? [])].map(String).join('.')
  throw new SluiceError('INVALID_INPUT', `${field} does not fit (${issue?.message ?? 'invalid'})`, {
    details: { field },
  })
}

function sendTooMany(reply: FastifyReply, seconds: number): FastifyReply {
  const details = { retryAfterSeconds: seconds }
  return sendRefusal(
    reply,
    refusal(429, 'RATE_LIMITED', 'Too many requests', { 'Retry-After': String(seconds) }, { details }),
  )
}

function sendEvents(reply: FastifyReply, stream: Readable, streams: Set<Readable>): FastifyReply {
  streams.add(stream)
  // the stream itself closes only when its source has something to say again: the place is free when the client goes
  reply.raw.once('close', () => {
    streams.delete(stream)
    stream.destroy()
  })
  return reply
    .type('text/event-stream; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .header('X-Accel-Buffering', 'no')
    .send(stream)
}
