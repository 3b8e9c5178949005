/**
 * The contract over HTTP: `POST /rpc/<command>` with the input as its body answers the command's result, or the
 * error envelope. The list is watched over the WebSocket only.
 */
import type { FastifyInstance } from 'fastify'
import { commandNames } from '../shared/contract/names.ts'
import { sendError } from './answers.ts'
import type { ConnectClient } from './network-clients.ts'

export function bindContractToRpc(app: FastifyInstance, connect: ConnectClient): void {
  const client = connect(() => {
    // calls have no events
  })
  app.addHook('onClose', (_app, done) => {
    client.close()
    done()
  })
  for (const name of commandNames) {
    app.post(`/rpc/${name}`, async (request, reply) => {
      const answer = await client.call(name, request.body)
      return answer.ok ? reply.send(answer.value) : sendError(reply, answer.error)
    })
  }
}
