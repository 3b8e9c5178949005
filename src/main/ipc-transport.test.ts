import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { SendEvent } from '../core/service.ts'
import { commandChannel, eventChannel, watchListChannel } from '../shared/contract/channels.ts'
import { commandNames, desktopCommandNames } from '../shared/contract/names.ts'
import { bindContractToIpc, maxCallsAtOnce } from './ipc-transport.ts'
import type { IpcTransportOptions } from './ipc-transport.ts'

class PageLike extends EventEmitter {
  readonly sent: unknown[][] = []
  isDestroyed = (): boolean => false
  isCrashed = (): boolean => false
  send = (...message: unknown[]): void => {
    this.sent.push(message)
  }
}

/** A service whose clients are written down, and the handlers that the transport registered. */
function bindToRecorder(options: { isTrusted?: boolean; answers?: Promise<void> } = {}) {
  const handlers = new Map<string, (event: unknown, input: unknown) => unknown>()
  const clients: { send: SendEvent; calls: unknown[][]; closed: boolean }[] = []
  const watching: unknown[] = []
  bindContractToIpc({
    ipcMain: { handle: (channel, handler) => void handlers.set(channel, handler as never) },
    service: {
      connect: (send) => {
        const client = { send, calls: [] as unknown[][], closed: false }
        clients.push(client)
        return {
          call: async (name, input) => {
            client.calls.push([name, input])
            await options.answers
            return { ok: true, value: 'answer' }
          },
          watchList: (query) => {
            client.calls.push(['watch', query])
            return Promise.resolve({ ok: true, value: null })
          },
          close: () => {
            client.closed = true
          },
        }
      },
    },
    ready: Promise.resolve(),
    callDesktop: (name, input) => Promise.resolve({ ok: true, value: [name, input] }),
    isTrusted: () => options.isTrusted ?? true,
    onWatching: (contents) => watching.push(contents),
  } satisfies IpcTransportOptions)
  const invoke = (page: PageLike, channel: string, input: unknown) =>
    Promise.resolve(handlers.get(channel)?.({ sender: page }, input))
  return { handlers, clients, watching, invoke }
}

const info = commandChannel('app.info')

test('every command of the contract has its channel, and there is no other', () => {
  const { handlers } = bindToRecorder()
  const expected = [...commandNames, ...desktopCommandNames].map(commandChannel)
  expect([...handlers.keys()].sort()).toEqual([...expected, watchListChannel].sort())
})

test('a call from an unknown sender is answered FORBIDDEN and reaches nothing', async () => {
  const { clients, handlers, invoke } = bindToRecorder({ isTrusted: false })
  for (const channel of handlers.keys()) {
    expect(await invoke(new PageLike(), channel, {})).toMatchObject({
      ok: false,
      error: { code: 'FORBIDDEN' },
    })
  }
  expect(clients).toEqual([])
})

test('an input that is too large is answered INVALID_INPUT and reaches nothing', async () => {
  const { clients, invoke } = bindToRecorder()
  const answer = await invoke(new PageLike(), info, 'x'.repeat(17 * 1024 * 1024))
  expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } })
  expect(clients).toEqual([])
})

test('more calls at once than a window ever needs are answered RATE_LIMITED, others go on', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const { invoke } = bindToRecorder({ answers: promise })
  const page = new PageLike()
  const open = Array.from({ length: maxCallsAtOnce }, () => invoke(page, info, {}))
  expect(await invoke(page, info, {})).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } })
  resolve(undefined)
  expect(await Promise.all(open)).toHaveLength(maxCallsAtOnce)
  expect(await invoke(page, info, {})).toEqual({ ok: true, value: 'answer' })
})

test('a page has one client, which gets its calls and sends it events', async () => {
  const { clients, invoke } = bindToRecorder()
  const page = new PageLike()
  await invoke(page, info, { a: 1 })
  await invoke(page, watchListChannel, { filter: 'all' })
  expect(clients).toHaveLength(1)
  expect(clients[0]?.calls).toEqual([
    ['app.info', { a: 1 }],
    ['watch', { filter: 'all' }],
  ])
  const stats = { bytesPerSecond: 1, running: 2, waiting: 3 }
  clients[0]?.send('stats', stats)
  expect(page.sent).toEqual([[eventChannel('stats'), stats]])
})

test.each(['did-navigate', 'render-process-gone', 'destroyed'])(
  'the client of a page ends by %s, and the next page gets its own',
  async (event) => {
    const { clients, invoke } = bindToRecorder()
    const page = new PageLike()
    await invoke(page, info, {})
    page.emit(event)
    expect(clients.map((client) => client.closed)).toEqual([true])
    await invoke(page, info, {})
    expect(clients.map((client) => client.closed)).toEqual([true, false])
    page.emit(event)
    expect(clients.map((client) => client.closed)).toEqual([true, true])
    expect(page.eventNames()).toEqual([])
  },
)

test('events for a page that is gone or crashed are dropped', async () => {
  const { clients, invoke } = bindToRecorder()
  const page = new PageLike()
  await invoke(page, info, {})
  page.isCrashed = () => true
  clients[0]?.send('stats', { bytesPerSecond: 0, running: 0, waiting: 0 })
  page.isCrashed = () => false
  page.isDestroyed = () => true
  clients[0]?.send('stats', { bytesPerSecond: 0, running: 0, waiting: 0 })
  expect(page.sent).toEqual([])
})

test('a page that watches the list is announced, one that stops watching is not', async () => {
  const { watching, invoke } = bindToRecorder()
  const page = new PageLike()
  await invoke(page, watchListChannel, null)
  expect(watching).toEqual([])
  await invoke(page, watchListChannel, { filter: 'all' })
  expect(watching).toEqual([page])
})
