import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { reconnectPauseMs, WebSocketBridge } from './web-socket-bridge.ts'

/** The server's end of a socket, in memory: what the window sent, and the means to answer. */
class ServerEnd extends EventTarget {
  readonly sent: Record<string, unknown>[] = []
  isClosed = false
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>)
  }
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.dispatchEvent(new Event('close'))
  }
  open(): void {
    this.dispatchEvent(new Event('open'))
  }
  give(message: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }
}

const query = { filter: 'all', search: '', sort: 'created', order: 'desc', offset: 0, limit: 100 } as const
const info = { version: '1', host: 'server', capabilities: [], ffmpeg: null, platform: 'linux' }

describe('the bridge over WebSocket', () => {
  let ends: ServerEnd[] = []
  let bridge: WebSocketBridge
  let states: boolean[] = []
  const last = (): ServerEnd => {
    const end = ends.at(-1)
    if (end === undefined) throw new Error('no socket was opened')
    return end
  }
  const welcome = (): void => {
    last().open()
    last().give({ kind: 'welcome' })
  }

  beforeEach(() => {
    vi.useFakeTimers()
    ends = []
    states = []
    bridge = new WebSocketBridge({
      url: 'ws://host/ws',
      open: () => {
        const end = new ServerEnd()
        ends.push(end)
        // as much of a socket as the bridge uses
        return end as unknown as WebSocket
      },
      random: () => 0.5,
    })
    bridge.onConnection((connected) => states.push(connected))
  })
  afterEach(() => {
    bridge.close()
    vi.useRealTimers()
  })

  test('says its secret first and is open after the welcome', () => {
    bridge.connect('s3cret')
    last().open()
    expect([last().sent, states]).toEqual([[{ kind: 'hello', secret: 's3cret' }], []])
    last().give({ kind: 'welcome' })
    expect(states).toEqual([true])
  })

  test('matches answers to calls, in whatever order they come', async () => {
    bridge.connect('s')
    welcome()
    const first = bridge.call('app.info', {})
    const second = bridge.call('tasks.rows', { ids: [] })
    expect(last().sent.slice(1)).toEqual([
      { kind: 'call', id: 1, name: 'app.info', input: {} },
      { kind: 'call', id: 2, name: 'tasks.rows', input: { ids: [] } },
    ])
    last().give({ kind: 'answer', id: 2, answer: { ok: true, value: { rows: [] } } })
    last().give({ kind: 'answer', id: 1, answer: { ok: true, value: info } })
    expect(await second).toEqual({ ok: true, value: { rows: [] } })
    expect(await first).toEqual({ ok: true, value: info })
  })

  test('gives events to their listeners until they leave', () => {
    const heard: unknown[] = []
    const leave = bridge.on('stats', (event) => heard.push(event))
    bridge.connect('s')
    welcome()
    const event = { bytesPerSecond: 1, running: 1, waiting: 0 }
    last().give({ kind: 'event', name: 'stats', event })
    leave()
    last().give({ kind: 'event', name: 'stats', event })
    expect(heard).toEqual([event])
  })

  test('answers what was under way when the connection broke, and never sends it again', async () => {
    bridge.connect('s')
    welcome()
    const call = bridge.call('tasks.clearFinished', {})
    last().close()
    expect(await call).toMatchObject({ ok: false, error: { code: 'NETWORK_ERROR' } })
    vi.advanceTimersByTime(20_000)
    welcome()
    expect(last().sent.map(({ kind }) => kind)).toEqual(['hello'])
  })

  test('answers a call without a connection at once', async () => {
    expect(await bridge.call('app.info', {})).toMatchObject({ ok: false, error: { code: 'NETWORK_ERROR' } })
  })

  test('comes back by itself and renews the watch', () => {
    bridge.connect('s')
    welcome()
    void bridge.watchList(query)
    last().close()
    expect(states).toEqual([true, false])
    vi.advanceTimersByTime(300)
    expect(ends.length).toBe(2)
    welcome()
    expect(last().sent.map(({ kind }) => kind)).toEqual(['hello', 'watch'])
    expect(states).toEqual([true, false, true])
  })

  test('waits longer after each failure, at most about ten seconds, and begins anew after a success', () => {
    expect([0, 1, 2, 10].map((failures) => reconnectPauseMs(failures, 0.5))).toEqual([300, 600, 1200, 10_000])
    expect([reconnectPauseMs(10, 0), reconnectPauseMs(10, 1)]).toEqual([7500, 12_500])
    bridge.connect('s')
    for (let failure = 0; failure < 4; failure++) {
      last().close()
      vi.advanceTimersByTime(reconnectPauseMs(failure, 0.5))
    }
    expect(ends.length).toBe(5)
    welcome()
    last().close()
    vi.advanceTimersByTime(300)
    expect(ends.length).toBe(6)
  })

  test('tries at once when asked to', () => {
    bridge.connect('s')
    last().close()
    bridge.retryNow()
    expect(ends.length).toBe(2)
  })

  test('stops when the secret is refused, until it gets another', () => {
    const refusals: unknown[] = []
    bridge.onRefused((error) => refusals.push(error.code))
    bridge.connect('wrong')
    last().open()
    last().give({ kind: 'refused', error: { code: 'UNAUTHORIZED', message: '', hint: '' } })
    expect([refusals, last().isClosed]).toEqual([['UNAUTHORIZED'], true])
    vi.advanceTimersByTime(60_000)
    expect(ends.length).toBe(1)
    bridge.connect('right')
    last().open()
    expect(last().sent).toEqual([{ kind: 'hello', secret: 'right' }])
  })

  test('hears nothing more from a socket that it has left', () => {
    const heard: unknown[] = []
    bridge.on('stats', (event) => heard.push(event))
    bridge.connect('s')
    welcome()
    const old = last()
    bridge.connect('other')
    old.give({ kind: 'event', name: 'stats', event: {} })
    expect(heard).toEqual([])
  })
})
