/** The OpenAPI 3.1 document, made of the table of routes: what is served is what is documented. */
import { z } from '../../shared/validator.ts'
import { errorEnvelopeSchema } from '../../shared/contract/error-envelope.ts'
import type { AnswerFacts, RestRoute } from './route.ts'

type Json = Readonly<Record<string, unknown>>

const statusWords: Readonly<Record<number, string>> = {
  400: 'INVALID_INPUT: the request does not fit its schema',
  401: 'UNAUTHORIZED: the secret is missing or wrong',
  403: 'FORBIDDEN: the folder, the setting or the origin is not allowed',
  404: 'JOB_NOT_FOUND: there is no such job',
  405: 'INVALID_INPUT: the path does not take this method',
  409: 'CONFLICT: it does not fit the state of the job',
  413: 'INVALID_INPUT: the body is larger than 1 MiB',
  415: 'INVALID_INPUT: the body is not JSON',
  421: 'FORBIDDEN: the Host header is not one of this host',
  422: 'UNSUPPORTED, or the error that a job with this link would have: understood, but it cannot be done',
  429: 'RATE_LIMITED: wait as Retry-After says',
}
/** What every route may answer before it is carried out. */
const always = [400, 401, 405, 421, 429]
const withBody = [413, 415]

export function openApiDocument(routes: readonly RestRoute[], version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const each of routes) (paths[each.path] ??= {})[each.method.toLowerCase()] = operation(each)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version,
      summary: 'Queue downloads, watch them and operate them',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ secretKey: [] }, { bearer: [] }],
    paths: { ...paths, '/api/health': { get: health } },
    components: {
      securitySchemes: {
        secretKey: { type: 'apiKey', in: 'header', name: 'X-Secret-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Error: jsonSchema(errorEnvelopeSchema, 'output') },
    },
  }
}

const health: Json = {
  summary: 'Whether the host is alive; needs no secret',
  security: [],
  responses: {
    200: {
      description: 'It is alive',
      ...jsonContent(jsonSchema(z.object({ status: z.literal('ok'), version: z.string() }), 'output')),
    },
  },
}

function operation(each: RestRoute): Json {
  const errors = [...new Set([...each.errors, ...always, ...(each.body === undefined ? [] : withBody)])]
  return {
    summary: each.summary,
    operationId: operationId(each),
    parameters: [...parameters('path', each.params), ...parameters('query', each.query), ...headersOf(each)],
    ...(each.body === undefined
      ? {}
      : { requestBody: { required: true, ...jsonContent(jsonSchema(each.body, 'input')) } }),
    responses: {
      ...Object.fromEntries(Object.entries(each.answers).map(([status, facts]) => [status, answer(facts)])),
      ...Object.fromEntries(errors.map((status) => [status, errorAnswer(status)])),
    },
  }
}

function operationId({ method, path }: RestRoute): string {
  const words = path.replace(/^\/api\//, '').split(/[^a-z]+/i)
  return [method.toLowerCase(), ...words.filter((word) => word !== '')].join('-')
}

function parameters(place: 'path' | 'query', schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return []
  const { properties, required } = jsonSchema(schema, 'input') as {
    properties: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, facts]) => ({
    name,
    in: place,
    required: place === 'path' || (required ?? []).includes(name),
    schema: facts,
  }))
}

function headersOf({ path }: RestRoute): Json[] {
  const header = (name: string, description: string): Json => ({
    ...{ name, in: 'header', required: false, description, schema: { type: 'string', maxLength: 200 } },
  })
  if (path === '/api/download') {
    return [header('Idempotency-Key', 'the same key twice queues once')]
  }
  return path === '/api/events' ? [header('Last-Event-ID', 'the id of the last event that was seen')] : []
}

function answer({ description, body }: AnswerFacts): Json {
  if (body === null) return { description }
  if (body === 'events')
    return { description, content: { 'text/event-stream': { schema: { type: 'string' } } } }
  return { description, ...jsonContent(jsonSchema(body, 'output')) }
}

function errorAnswer(status: number): Json {
  return {
    description: statusWords[status] ?? 'An error',
    ...(status === 429 ? { headers: { 'Retry-After': { schema: { type: 'integer' } } } } : {}),
    ...jsonContent({ $ref: '#/components/schemas/Error' }),
  }
}

function jsonContent(schema: Json): Json {
  return { content: { 'application/json': { schema } } }
}

/** OpenAPI 3.1 takes JSON Schema 2020-12 as it is. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const made: Record<string, unknown> = z.toJSONSchema(schema, {
    ...{ io, target: 'draft-2020-12', unrepresentable: 'any' },
  })
  // the dialect is that of the whole document
  delete made['$schema']
  return made
}
