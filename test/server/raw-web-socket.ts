/** A WebSocket client by hand, for what an honest one would not send, or would not leave unread. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export const opcodes = { text: 1, binary: 2, close: 8, ping: 9 } as const

/** One frame of RFC 6455 section 5.2, masked as a client's must be. `announced` lies about the length. */
export function frame(opcode: number, payload: Buffer | string, announced?: bigint): Buffer {
  const data = Buffer.from(payload)
  const length = announced ?? BigInt(data.length)
  const mask = randomBytes(4)
  const head = length < 126n ? 2 : length < 65_536n ? 4 : 10
  const bytes = Buffer.alloc(head + 4 + data.length)
  bytes[0] = 0x80 | opcode
  if (head === 2) bytes[1] = 0x80 | Number(length)
  else if (head === 4) {
    bytes[1] = 0x80 | 126
    bytes.writeUInt16BE(Number(length), 2)
  } else {
    bytes[1] = 0x80 | 127
    bytes.writeBigUInt64BE(length, 2)
  }
  mask.copy(bytes, head)
  for (const [at, byte] of data.entries()) bytes[head + 4 + at] = byte ^ (mask[at % 4] ?? 0)
  return bytes
}

export class RawWebSocket {
  readonly socket: Socket
  /** the server's answer to the upgrade */
  readonly head: string
  #received: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket, head: string, rest: Buffer) {
    this.socket = socket
    this.head = head
    this.#received = rest
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      if (this.#received.length < 65_536 && this.closeCode() !== 0) socket.end()
    })
    // a reset is one way to be thrown out
    socket.on('error', () => null)
  }

  /** Opens and says hello. */
  static async open(
    port: number,
    secret: string | null,
    headers: readonly string[] = [],
  ): Promise<RawWebSocket> {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(
      [
        'GET /ws HTTP/1.1',
        `Host: 127.0.0.1:${port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
        ...headers,
        '',
        '',
      ].join('\r\n'),
    )
    let received: Buffer = Buffer.alloc(0)
    while (!received.includes('\r\n\r\n')) {
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      received = Buffer.concat([received, chunk])
    }
    const end = received.indexOf('\r\n\r\n')
    const raw = new RawWebSocket(
      socket,
      received.subarray(0, end).toString('latin1'),
      received.subarray(end + 4),
    )
    if (secret !== null) raw.say({ kind: 'hello', secret })
    return raw
  }

  say(message: unknown): void {
    this.socket.write(frame(opcodes.text, JSON.stringify(message)))
  }

  /** Resolves when the server has ended the connection, with the code it gave (0: none). */
  async closed(): Promise<number> {
    // not `once` of node:events, which would reject at the reset that may come first
    if (!this.socket.closed) await new Promise<void>((resolve) => this.socket.once('close', () => resolve()))
    return this.closeCode()
  }

  closeCode(): number {
    for (const { opcode, payload } of this.frames()) {
      if (opcode === opcodes.close) return payload.length >= 2 ? payload.readUInt16BE(0) : 0
    }
    return 0
  }

  /** What has been said by the server so far, in whole frames. */
  messages(): unknown[] {
    return this.frames().flatMap(({ opcode, payload }) =>
      opcode === opcodes.text ? [JSON.parse(payload.toString('utf8')) as unknown] : [],
    )
  }

  frames(): { opcode: number; payload: Buffer }[] {
    const frames: { opcode: number; payload: Buffer }[] = []
    let at = 0
    for (;;) {
      const head = this.#received.subarray(at)
      if (head.length < 2) return frames
      const short = (head[1] ?? 0) & 0x7f
      const size = short < 126 ? 2 : short === 126 ? 4 : 10
      if (head.length < size) return frames
      const length =
        short < 126 ? short : short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2))
      if (head.length < size + length) return frames
      frames.push({ opcode: (head[0] ?? 0) & 0x0f, payload: head.subarray(size, size + length) })
      at += size + length
    }
  }
}
