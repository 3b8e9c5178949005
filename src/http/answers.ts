/** How errors are answered over HTTP. */
import type { FastifyReply } from 'fastify'
import { httpStatusOf, toErrorEnvelope } from '../shared/contract/error-envelope.ts'
import type { ErrorRecord } from '../shared/errors.ts'
import type { Refusal } from './gates.ts'

export function sendRefusal(reply: FastifyReply, refused: Refusal): FastifyReply {
  return reply
    .code(refused.status)
    .headers({ ...refused.headers })
    .send(toErrorEnvelope(refused.error, new Date().toISOString()))
}

/** An error of the contract, under the status that goes with its code. */
export function sendError(reply: FastifyReply, error: ErrorRecord): FastifyReply {
  return sendRefusal(reply, { status: httpStatusOf(error.code), error })
}
