/** The servers that benchmarks download from: nginx for bulk, and one of our own that throttles each connection. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'

export interface Origin {
  http: string
  https: string
  certificate: string
  close(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port could be had')
  return address.port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (up: boolean) => {
      socket.destroy()
      resolve(up)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}

async function untilItListens(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await answers(port)) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('nginx did not start')
}

/** nginx (2 workers, sendfile) over a folder, plain and with an ECDSA certificate for 127.0.0.1. */
export async function startNginx(root: string, scratch: string): Promise<Origin> {
  await mkdir(scratch, { recursive: true })
  const key = join(scratch, 'key.pem')
  const certificate = join(scratch, 'cert.pem')
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
      .concat(['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'])
      .concat(['-keyout', key, '-out', certificate]),
    { stdio: 'ignore' },
  )
  const [http, https] = [await freePort(), await freePort()]
  const config = `
worker_processes 2; daemon off; pid ${scratch}/nginx.pid; error_log ${scratch}/error.log; user root;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000; types {} default_type application/octet-stream;
  client_body_temp_path ${scratch}/b; proxy_temp_path ${scratch}/p; fastcgi_temp_path ${scratch}/f;
  uwsgi_temp_path ${scratch}/u; scgi_temp_path ${scratch}/s;
  server { listen 127.0.0.1:${http}; root ${root}; }
  server { listen 127.0.0.1:${https} ssl; root ${root}; ssl_certificate ${certificate}; ssl_certificate_key ${key};
    ssl_protocols TLSv1.3; }
}`
  await writeFile(join(scratch, 'nginx.conf'), config)
  const nginx = spawn('nginx', ['-c', join(scratch, 'nginx.conf'), '-p', scratch], { stdio: 'ignore' })
  await untilItListens(http)
  return {
    http: `http://127.0.0.1:${http}`,
    https: `https://localhost:${https}`,
    certificate,
    close: async () => {
      nginx.kill('SIGTERM')
      await once(nginx, 'exit')
    },
  }
}

/** One answer of the throttling server. Times are `performance.now()` of this process. */
export interface Answer {
  /** counted from 1 */
  connection: number
  /** offset in the file of the first byte that was asked for */
  start: number
  /** exclusive */
  end: number
  /** bytes of body given to the connection so far */
  sent: number
  askedAt: number
  /** when bytes of body were given to it last; `askedAt` before the first */
  sentAt: number
  /** when the last byte was sent or the client was seen to be gone; null while it is sent */
  endedAt: number | null
}

export interface ThrottledOrigin {
  url: string
  /** every answer since the start, in the order of their requests */
  answers: readonly Answer[]
  close(): Promise<void>
}

const TICK_MS = 10
const FIRST_BYTE_MS = 50

/** Sends the body of an answer at a steady rate; resolves when all is sent or the client is gone. */
async function sendSteadily(socket: Socket, answer: Answer, bytesPerSecond: number): Promise<void> {
  const bytes = answer.end - answer.start
  const piece = Buffer.alloc(Math.ceil((bytesPerSecond * TICK_MS) / 1000))
  const began = performance.now()
  while (answer.sent < bytes && !socket.destroyed) {
    const due = Math.min(bytes, Math.floor(((performance.now() - began) / 1000) * bytesPerSecond))
    while (answer.sent < due) {
      const size = Math.min(piece.length, due - answer.sent)
      answer.sent += size
      answer.sentAt = performance.now()
      if (!socket.write(piece.subarray(0, size))) {
        if (socket.writable) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
        if (!socket.writable) return
      }
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
}

/**
 * A file of zeros whose every connection is throttled by itself, 50 ms to the first byte. nginx's
 * `limit_rate` lets each new request burst for about a second, which would flatter many small ranges.
 * @param rateOf bytes per second for the n-th connection (from 1)
 */
export async function startThrottled(
  length: number,
  rateOf: (connection: number) => number,
): Promise<ThrottledOrigin> {
  let connections = 0
  const answers: Answer[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = ++connections
    const rate = rateOf(connection)
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    let head = ''
    let busy: Promise<void> = Promise.resolve()
    const sendAnswer = async (request: string, answer: Answer, isPart: boolean): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, FIRST_BYTE_MS))
      const { start, end } = answer
      const status = isPart ? '206 Partial Content' : '200 OK'
      const contentRange = isPart ? `Content-Range: bytes ${start}-${end - 1}/${length}\r\n` : ''
      socket.write(
        `HTTP/1.1 ${status}\r\nContent-Length: ${end - start}\r\n${contentRange}` +
          'Accept-Ranges: bytes\r\nETag: "throttled"\r\nContent-Type: application/octet-stream\r\n\r\n',
      )
      if (!/^HEAD /.test(request)) await sendSteadily(socket, answer, rate)
    }
    const reply = async (request: string, askedAt: number): Promise<void> => {
      const range = /^range: bytes=(\d+)-(\d*)\r$/im.exec(request)
      const start = Number(range?.[1] ?? 0)
      const last =
        range?.[2] === undefined || range[2] === '' ? length - 1 : Math.min(Number(range[2]), length - 1)
      const answer: Answer = {
        connection,
        start,
        end: last + 1,
        sent: 0,
        askedAt,
        sentAt: askedAt,
        endedAt: null,
      }
      answers.push(answer)
      try {
        await sendAnswer(request, answer, range !== null)
      } finally {
        answer.endedAt = performance.now()
      }
    }
    socket.on('data', (chunk: Buffer) => {
      head += chunk.toString('latin1')
      for (let end = head.indexOf('\r\n\r\n'); end >= 0; end = head.indexOf('\r\n\r\n')) {
        const request = head.slice(0, end + 4)
        head = head.slice(end + 4)
        const askedAt = performance.now()
        // a client that leaves in the middle is nothing to this server
        busy = busy.then(() => reply(request, askedAt)).catch(() => void socket.destroy())
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the throttling server did not start')
  return {
    url: `http://127.0.0.1:${address.port}/file.bin`,
    answers,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
