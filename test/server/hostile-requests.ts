/** Requests that must change nothing, with the status they are answered; ids as in the list of bad inputs. */
import { requestText } from './running-server.ts'

export interface HostileRequest {
  id: string
  title: string
  /** what the server may answer; 0: it ends the connection without a word */
  statuses: readonly number[]
  build: (port: number, secret: string) => string | Buffer
}

const target = '/rpc/settings.set'
const change = '{"maxConcurrentTasks":7}'
const json = { 'Content-Type': 'application/json' }

/** A state-changing request that is right but for what is given. */
function changing(
  bend: (
    port: number,
    secret: string,
  ) => {
    method?: string
    target?: string
    body?: string
    headers?: Record<string, string | null>
  },
): HostileRequest['build'] {
  return (port, secret) => {
    const bent = bend(port, secret)
    return requestText(port, {
      method: 'POST',
      target,
      body: change,
      ...bent,
      headers: { ...json, 'X-Secret-Key': secret, ...bent.headers },
    })
  }
}

const add = (body: unknown): HostileRequest['build'] =>
  changing(() => ({ target: '/rpc/tasks.add', body: JSON.stringify(body) }))

const upgrade = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'X-Secret-Key': null,
  'Content-Type': null,
}
const socket = (
  bend: (port: number, secret: string) => { target?: string; headers?: Record<string, string | null> },
): HostileRequest['build'] => {
  return (port, secret) => {
    const bent = bend(port, secret)
    return requestText(port, { target: '/ws', ...bent, headers: { ...upgrade, ...bent.headers } })
  }
}

export const hostileRequests: readonly HostileRequest[] = [
  {
    id: 'B36',
    title: 'no secret',
    statuses: [401],
    build: changing(() => ({ headers: { 'X-Secret-Key': null } })),
  },
  {
    id: 'B36',
    title: 'the secret in the query',
    statuses: [401],
    build: changing((_port, secret) => ({
      target: `${target}?secret=${secret}&token=${secret}`,
      headers: { 'X-Secret-Key': null },
    })),
  },
  {
    id: 'B36',
    title: 'the secret in a cookie',
    statuses: [401],
    build: changing((_port, secret) => ({ headers: { 'X-Secret-Key': null, Cookie: `secret=${secret}` } })),
  },
  {
    id: 'B36',
    title: 'the secret as basic authentication',
    statuses: [401],
    build: changing((_port, secret) => ({
      headers: {
        'X-Secret-Key': null,
        Authorization: `Basic ${Buffer.from(`:${secret}`).toString('base64')}`,
      },
    })),
  },
  {
    id: 'B36',
    title: 'a secret with a NUL behind it',
    statuses: [400, 401],
    build: changing((_port, secret) => ({ headers: { 'X-Secret-Key': `${secret}\0` } })),
  },
  {
    id: 'B36',
    title: 'a secret of a megabyte',
    statuses: [431, 401],
    build: changing(() => ({ headers: { 'X-Secret-Key': 'x'.repeat(1024 * 1024) } })),
  },
  {
    id: 'B36',
    title: 'two secrets, one of them right',
    statuses: [401],
    build: changing((_port, secret) => ({ headers: { 'X-Secret-Key': 'wrong', 'x-secret-key': secret } })),
  },
  {
    id: 'B37',
    title: 'a foreign Host with the right secret (DNS rebinding)',
    statuses: [421],
    build: changing(() => ({ headers: { Host: 'evil.example' } })),
  },
  {
    id: 'B37',
    title: 'a Host that begins like ours',
    statuses: [421],
    build: changing((port) => ({ headers: { Host: `127.0.0.1.evil.example:${port}` } })),
  },
  {
    id: 'B37',
    title: 'a Host with a dot behind it',
    statuses: [421],
    build: changing((port) => ({ headers: { Host: `localhost.:${port}` } })),
  },
  { id: 'B37', title: 'no Host', statuses: [421], build: changing(() => ({ headers: { Host: null } })) },
  {
    id: 'B37',
    title: 'two Hosts',
    statuses: [400, 421],
    build: changing(() => ({ headers: { host: 'evil.example' } })),
  },
  {
    id: 'B37',
    title: 'our Host with another port',
    statuses: [421],
    build: changing((port) => ({ headers: { Host: `127.0.0.1:${port + 1}` } })),
  },
  {
    id: 'B37',
    title: 'a whole address in the request line that names another host',
    statuses: [400],
    build: changing(() => ({ target: `http://evil.example${target}` })),
  },
  {
    id: 'B38',
    title: 'a foreign Origin with the right secret',
    statuses: [403],
    build: changing(() => ({ headers: { Origin: 'https://evil.example' } })),
  },
  {
    id: 'B38',
    title: 'Origin null',
    statuses: [403],
    build: changing(() => ({ headers: { Origin: 'null' } })),
  },
  {
    id: 'B38',
    title: 'another port of this machine as Origin',
    statuses: [403],
    build: changing((port) => ({ headers: { Origin: `http://127.0.0.1:${port + 1}` } })),
  },
  {
    id: 'B38',
    title: 'Sec-Fetch-Site: cross-site',
    statuses: [403],
    build: changing(() => ({ headers: { 'Sec-Fetch-Site': 'cross-site' } })),
  },
  {
    id: 'B38',
    title: 'Sec-Fetch-Site: same-site',
    statuses: [403],
    build: changing(() => ({ headers: { 'Sec-Fetch-Site': 'same-site' } })),
  },
  {
    id: 'B39',
    title: 'a form',
    statuses: [415],
    build: changing(() => ({
      body: 'maxConcurrentTasks=7',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })),
  },
  {
    id: 'B39',
    title: 'JSON called text',
    statuses: [415],
    build: changing(() => ({ headers: { 'Content-Type': 'text/plain' } })),
  },
  {
    id: 'B39',
    title: 'JSON without a type',
    statuses: [415],
    build: changing(() => ({ headers: { 'Content-Type': null } })),
  },
  {
    id: 'B39',
    title: 'a GET that would change something',
    statuses: [405],
    build: changing(() => ({ method: 'GET', target: `${target}?maxConcurrentTasks=7` })),
  },
  {
    id: 'B39',
    title: 'a method hidden in a header',
    statuses: [405],
    build: changing(() => ({ method: 'GET', headers: { 'X-HTTP-Method-Override': 'POST' } })),
  },
  {
    id: 'B40',
    title: 'a preflight of a stranger',
    statuses: [405],
    build: changing(() => ({
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    })),
  },
  {
    id: 'B41',
    title: 'a WebSocket of a foreign page',
    statuses: [403],
    build: socket(() => ({ headers: { Origin: 'https://evil.example' } })),
  },
  {
    id: 'B41',
    title: 'a WebSocket under a foreign Host',
    statuses: [421],
    build: socket(() => ({ headers: { Host: 'evil.example' } })),
  },
  {
    id: 'B41',
    title: 'a WebSocket with the secret in its address',
    statuses: [400],
    build: socket((_port, secret) => ({ target: `/ws?secret=${secret}` })),
  },
  {
    id: 'B41',
    title: 'a WebSocket where there is none',
    statuses: [401],
    build: socket(() => ({ target: '/rpc/settings.get' })),
  },
  {
    id: 'B44',
    title: 'a body that is announced larger than allowed',
    statuses: [413],
    build: changing(() => ({ headers: { 'Content-Length': '1000000000' } })),
  },
  {
    id: 'B44',
    title: 'headers beyond any need',
    statuses: [431],
    build: changing(() => ({
      headers: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`X-${n}`, 'x'.repeat(100)])),
    })),
  },
  {
    id: 'B44',
    title: 'a body of two lengths',
    statuses: [400],
    build: changing(() => ({ headers: { 'Transfer-Encoding': 'chunked' } })),
  },
  {
    id: 'B45',
    title: '__proto__',
    statuses: [400],
    build: changing(() => ({ body: '{"__proto__":{"maxConcurrentTasks":7}}' })),
  },
  {
    id: 'B45',
    title: 'constructor.prototype',
    statuses: [400],
    build: changing(() => ({ body: '{"constructor":{"prototype":{"maxConcurrentTasks":7}}}' })),
  },
  {
    id: 'B45',
    title: 'an unknown key',
    statuses: [400],
    build: changing(() => ({ body: '{"nonsense":7}' })),
  },
  {
    id: 'B45',
    title: 'a number beyond all numbers',
    statuses: [400],
    build: changing(() => ({ body: '{"maxConcurrentTasks":1e999}' })),
  },
  {
    id: 'B45',
    title: 'a number beyond what is counted exactly',
    statuses: [400],
    build: changing(() => ({ body: '{"speedLimitBytesPerSecond":9007199254740993}' })),
  },
  {
    id: 'B45',
    title: 'minus zero tasks at once',
    statuses: [400],
    build: changing(() => ({ body: '{"maxConcurrentTasks":-0}' })),
  },
  {
    id: 'B45',
    title: 'a text for a number',
    statuses: [400],
    build: changing(() => ({ body: '{"maxConcurrentTasks":"7"}' })),
  },
  {
    id: 'B45',
    title: 'ten thousand arrays within each other',
    statuses: [400],
    build: changing(() => ({ body: '['.repeat(10_000) + ']'.repeat(10_000) })),
  },
  {
    id: 'B45',
    title: 'half a body',
    statuses: [400],
    build: changing(() => ({ body: '{"maxConcurrentTasks":' })),
  },
  { id: 'B45', title: 'an empty body', statuses: [400], build: changing(() => ({ body: '' })) },
  {
    id: 'B45',
    title: 'bytes that are no text',
    statuses: [400],
    build: (port, secret) =>
      Buffer.concat([
        Buffer.from(
          requestText(port, {
            method: 'POST',
            target,
            headers: { ...json, 'X-Secret-Key': secret, 'Content-Length': '4' },
          }),
        ),
        Buffer.from([0xff, 0xfe, 0x00, 0x80]),
      ]),
  },
  {
    id: 'B46',
    title: 'a folder outside the roots',
    statuses: [403],
    build: add({ links: ['http://127.0.0.1:9/x'], options: { folder: '/etc' } }),
  },
  {
    id: 'B46',
    title: 'a folder in the home of the user',
    statuses: [403],
    build: add({ links: ['http://127.0.0.1:9/x'], options: { folder: '~/.ssh' } }),
  },
  {
    id: 'B46',
    title: 'a folder that climbs out',
    statuses: [403],
    build: add({ links: ['http://127.0.0.1:9/x'], options: { folder: 'a/../../b' } }),
  },
  {
    id: 'B46',
    title: 'the default folder moved out of the roots',
    statuses: [403],
    build: changing(() => ({ body: '{"downloadFolder":"/etc"}' })),
  },
  {
    id: 'B46',
    title: 'a pair into a folder outside the roots',
    statuses: [403],
    build: add({
      pair: { video: 'http://127.0.0.1:9/v', audio: 'http://127.0.0.1:9/a' },
      options: { folder: '/tmp' },
    }),
  },
  ...[
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%5c..%5cpackage.json',
    '/%252e%252e/package.json',
    '/assets/../../package.json',
  ].map((path): HostileRequest => ({
    id: 'B47',
    title: `a way out of the window's files: ${path}`,
    statuses: [400, 401, 404],
    build: (port) => requestText(port, { target: path }),
  })),
  {
    id: 'B47',
    title: 'a NUL in a path',
    statuses: [400, 401, 404],
    build: (port) => requestText(port, { target: '/index.html%00.js' }),
  },
  {
    id: 'B47',
    title: 'a folder of the window',
    statuses: [401, 404],
    build: (port) => requestText(port, { target: '/assets/' }),
  },
  {
    id: 'B48',
    title: 'a program of this machine as FFmpeg',
    statuses: [403],
    build: changing(() => ({ body: '{"ffmpegPath":"/bin/sh"}' })),
  },
  {
    id: 'B48',
    title: 'the API itself turned on or moved',
    statuses: [403],
    build: changing(() => ({ body: '{"localApi":"on","localApiPort":4444}' })),
  },
  {
    id: 'B48',
    title: 'the machine shut down',
    statuses: [403],
    build: changing(() => ({ target: '/rpc/power.set', body: '{"action":"shut-down"}' })),
  },
  ...['secret', 'host', 'port', 'downloadRoots'].map((key): HostileRequest => ({
    id: 'B48',
    title: `the setting ${key}, which is none`,
    statuses: [400],
    build: changing(() => ({ body: JSON.stringify({ [key]: 'x' }) })),
  })),
  {
    id: 'B49',
    title: 'SQL as a sort order',
    statuses: [400],
    build: changing(() => ({
      target: '/rpc/list.query',
      body: JSON.stringify({
        ...{ filter: 'all', search: '', order: 'asc', offset: 0, limit: 10 },
        sort: 'created; drop table tasks',
      }),
    })),
  },
  {
    id: 'B49',
    title: 'an id that nobody has',
    statuses: [404],
    build: changing(() => ({ target: '/rpc/tasks.details', body: `{"id":"' or 1=1 --"}` })),
  },
  {
    id: 'B49',
    title: 'a command that is a property of every object',
    statuses: [404],
    build: changing(() => ({ target: '/rpc/constructor', body: '{}' })),
  },
  {
    id: 'B49',
    title: 'a command of the desktop',
    statuses: [404],
    build: changing(() => ({ target: '/rpc/desktop.openFile', body: '{"id":"x"}' })),
  },
  { id: 'raw', title: 'no HTTP at all', statuses: [400], build: () => 'hello\r\n\r\n' },
  {
    id: 'raw',
    title: 'a TLS greeting on a plain port',
    statuses: [0, 400],
    build: () => Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x03]),
  },
  {
    id: 'raw',
    title: 'HTTP/1.0 without Host',
    statuses: [421],
    build: () => 'GET /api/health HTTP/1.0\r\n\r\n',
  },
  {
    id: 'raw',
    title: 'a header that is folded',
    statuses: [400],
    build: changing(() => ({ headers: { 'X-Folded': 'a\r\n b' } })),
  },
]
