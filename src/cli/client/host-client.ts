/** The contract over HTTP: one method, typed by the table of commands, against a running host. */
import { request } from 'node:http'
import type { CommandInput, CommandResult } from '../../shared/contract/commands.ts'
import { commands } from '../../shared/contract/commands.ts'
import { errorEnvelopeSchema } from '../../shared/contract/error-envelope.ts'
import type { CommandName } from '../../shared/contract/names.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { FoundHost } from './running-host.ts'

/** Longer than anything that the host does before it answers, in ms. */
const patienceMs = 60_000

interface Reply {
  status: number
  text: string
}

export class HostClient {
  readonly #host: FoundHost

  constructor(host: FoundHost) {
    this.#host = host
  }

  /** @throws SluiceError the one of the host; `NETWORK_ERROR`, `TIMEOUT` when it does not answer */
  async call<N extends CommandName>(name: N, input: CommandInput<N>): Promise<CommandResult<N>> {
    const { status, text } = await this.#post(`/rpc/${name}`, JSON.stringify(input))
    const body = parsed(text)
    if (status !== 200) throw this.#errorOf(body)
    const result = commands[name].result.safeParse(body)
    // the schema that accepted it is the one of this very command
    if (result.success) return result.data as CommandResult<N>
    throw stranger()
  }

  #post(path: string, body: string): Promise<Reply> {
    const { address, secret } = this.#host
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          ...{ host: address.host, port: address.port, path, method: 'POST', timeout: patienceMs },
          headers: {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
            'X-Secret-Key': secret,
            Connection: 'close',
          },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
          response.on('error', (cause) => reject(this.#silent(cause)))
        },
      )
      sent.on('timeout', () => sent.destroy(new SluiceError('TIMEOUT', 'The host does not answer')))
      sent.on('error', (cause) => reject(cause instanceof SluiceError ? cause : this.#silent(cause)))
      sent.end(body)
    })
  }

  #silent(cause: unknown): SluiceError {
    const { pid, host, port } = this.#host.address
    return new SluiceError('NETWORK_ERROR', `The host (process ${pid}) does not answer at ${host}:${port}`, {
      hint: 'Try again in a moment, or look at the log of the host.',
      cause,
    })
  }

  #errorOf(body: unknown): SluiceError {
    const envelope = errorEnvelopeSchema.safeParse(body)
    if (!envelope.success) return stranger()
    const { error_code: code, message, hint, details } = envelope.data
    if (code === 'UNAUTHORIZED') return this.#wrongSecret()
    return new SluiceError(code, message, { hint, ...(details === undefined ? {} : { details }) })
  }

  #wrongSecret(): SluiceError {
    return new SluiceError('UNAUTHORIZED', 'The host does not take this secret', {
      hint: this.#host.isSecretFromEnvironment
        ? 'Set SLUICE_SECRET to the one of the host, or unset it to use the one of the data folder.'
        : 'The host was started with a secret of its own: set SLUICE_SECRET to it.',
    })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // fits no schema, and is told as an answer that nobody understands
    return undefined
  }
}

function stranger(): SluiceError {
  return new SluiceError('INTERNAL', 'The host answered in a form that this version does not know', {
    hint: 'Use the same version of Sluice for both.',
  })
}
