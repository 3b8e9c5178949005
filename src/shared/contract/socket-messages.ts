/**
 * The contract over a WebSocket. The first message is `hello`; everything else is refused before it was answered
 * with `welcome`. Text frames of JSON only.
 */
import { deferred, z } from '../validator.ts'
import type { ErrorRecord } from '../errors.ts'
import type { Answer } from './bridge.ts'
import type { Events } from './events.ts'
import type { EventName } from './names.ts'

/** chosen by the client, repeated in the answer */
const id = deferred(() => z.number().int().nonnegative())

export const helloSchema = deferred(() => z.strictObject({ kind: z.literal('hello'), secret: z.string() }))

export const clientMessageSchema = deferred(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('call'), id, name: z.string(), input: z.unknown() }),
    z.strictObject({ kind: z.literal('watch'), id, query: z.unknown() }),
  ]),
)
export type ClientMessage = z.infer<typeof clientMessageSchema>

export type ServerMessage =
  | { kind: 'welcome' }
  | { kind: 'refused'; error: ErrorRecord }
  | { kind: 'answer'; id: number; answer: Answer<unknown> }
  | { [N in EventName]: { kind: 'event'; name: N; event: Events[N] } }[EventName]
