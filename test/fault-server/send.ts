/** Sends a reply over a socket exactly as scripted: rate, pieces, cut, stall, corruption. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { headBytes } from './reply.ts'
import type { Reply } from './reply.ts'

/** How sending ended: `stalled` leaves the connection open for ever. */
export type SendOutcome = 'complete' | 'cut' | 'stalled' | 'client-gone'

async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || socket.destroyed || socket.writableEnded || socket.write(bytes)) return
  // One controller for both, so that the listener that lost does not stay behind.
  const settled = new AbortController()
  const { signal } = settled
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => null)
  settled.abort()
}

/** Bytes that may be sent now by a rate, counted from `startedAt`. */
async function allowance(
  rate: number | null,
  sent: number,
  startedAt: number,
  want: number,
): Promise<number> {
  if (rate === null) return want
  for (;;) {
    const allowed = Math.floor(((performance.now() - startedAt) * rate) / 1000) - sent
    if (allowed >= Math.min(want, Math.max(1, rate / 100))) return Math.min(want, allowed)
    await sleep(5)
  }
}

function bodyPiece(reply: Reply, from: number, to: number): Buffer {
  const piece = reply.body.read(from, to)
  const { corruptAt } = reply
  if (corruptAt === null || corruptAt < from || corruptAt >= to) return piece
  const bent = Buffer.from(piece)
  bent[corruptAt - from] = (bent[corruptAt - from] ?? 0) ^ 0xff
  return bent
}

function breakNow(socket: Socket, how: 'fin' | 'reset' | 'stall'): SendOutcome {
  if (how === 'stall') return 'stalled'
  if (how === 'reset') socket.resetAndDestroy()
  else socket.end()
  return 'cut'
}

/** Sends head and body; `onBytes` hears of every piece of body handed to the socket. */
export async function sendReply(
  socket: Socket,
  reply: Reply,
  bodyless: boolean,
  onBytes: (count: number) => void,
): Promise<SendOutcome> {
  if (reply.delayMs > 0) await sleep(reply.delayMs)
  await write(socket, headBytes(reply))
  if (reply.bodyDelayMs > 0) await sleep(reply.bodyDelayMs)
  const total = bodyless ? 0 : reply.end - reply.start
  const limit = Math.min(total, reply.breakAfter?.bytes ?? total)
  const startedAt = performance.now()
  let sent = 0
  while (sent < limit) {
    if (socket.destroyed) return 'client-gone'
    const count = await allowance(
      reply.bytesPerSecond,
      sent,
      startedAt,
      Math.min(reply.writeSize, limit - sent),
    )
    const piece = bodyPiece(reply, reply.start + sent, reply.start + sent + count)
    await write(socket, reply.framing === 'chunked' ? chunk(piece) : piece)
    sent += count
    onBytes(count)
  }
  if (socket.destroyed) return 'client-gone'
  if (reply.breakAfter !== null) return breakNow(socket, reply.breakAfter.how)
  if (reply.framing === 'chunked' && !bodyless) await write(socket, Buffer.from('0\r\n\r\n'))
  if (reply.trailingBytes !== null) await write(socket, reply.trailingBytes)
  if (!reply.keepAlive) socket.end()
  return 'complete'
}

function chunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
}
