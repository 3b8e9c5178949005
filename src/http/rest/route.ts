/** One route of the REST API: what it takes, what it may answer, and what carries it out. OpenAPI is made of these. */
import type { Readable } from 'node:stream'
import type { z } from '../../shared/validator.ts'
import type { CommandInput, CommandResult, Commands } from '../../shared/contract/commands.ts'

/** What carries a route out. Calls reject with the `SluiceError` of the contract. */
export interface RestContext {
  call: <N extends keyof Commands>(name: N, input: CommandInput<N>) => Promise<CommandResult<N>>
  /** request headers that routes look at */
  header: (name: string) => string | undefined
  /** `--debug-api`: what the workers wrote in an attempt */
  workerOutput?: ((attemptId: string) => string) | undefined
}

export interface RestAnswer {
  status: number
  /** null: no body; a stream of server-sent events is sent as it comes */
  body: unknown
  isEvents?: true
}

export interface AnswerFacts {
  description: string
  /** null: no body; `events`: server-sent events */
  body: z.ZodType | null | 'events'
}

interface Shape {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** as in OpenAPI: `/api/download/jobs/{id}` */
  path: string
  summary: string
  /** statuses that are no errors */
  answers: Readonly<Record<number, AnswerFacts>>
  /** statuses of the error envelope beside 400, 401, 405, 413, 415, 421 and 429, which all have */
  errors: readonly number[]
}

type NoInput = undefined
type Parsed<S> = S extends z.ZodType ? z.infer<S> : NoInput

export interface RestRoute extends Shape {
  params: z.ZodObject | NoInput
  query: z.ZodObject | NoInput
  body: z.ZodType | NoInput
  /** takes what the three schemas have accepted */
  handle: (
    input: { params: unknown; query: unknown; body: unknown },
    context: RestContext,
  ) => Promise<RestAnswer>
}

/** Ties the handler's input to the schemas; the table keeps all routes under one type. */
export function route<
  P extends z.ZodObject | NoInput = NoInput,
  Q extends z.ZodObject | NoInput = NoInput,
  B extends z.ZodType | NoInput = NoInput,
>(
  facts: Shape & {
    params?: P
    query?: Q
    body?: B
    handle: (
      input: { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> },
      context: RestContext,
    ) => Promise<RestAnswer>
  },
): RestRoute {
  const { params, query, body, handle, ...shape } = facts
  return {
    ...shape,
    params,
    query,
    body,
    // `bind.ts` calls it with what these very schemas have accepted
    handle: handle as RestRoute['handle'],
  }
}

export const ok = (body: unknown): RestAnswer => ({ status: 200, body })
export const events = (stream: Readable): RestAnswer => ({ status: 200, body: stream, isEvents: true })
