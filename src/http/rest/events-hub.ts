/**
 * The events of the whole list, for clients that cannot open a WebSocket. One connection to the core serves them all;
 * the last events are kept, so that a client that was away for a moment gets what it missed instead of a snapshot.
 */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Client } from '../../core/service.ts'
import type { ListQuery } from '../../shared/view.ts'
import type { ConnectClient } from '../network-clients.ts'
import { eventText, keepAliveMs, keepAliveText } from './server-sent-events.ts'

/** Events that are kept for clients that come back. */
const mostKept = 1000
/** How long the connection to the core outlives its last listener, in ms. */
const lingerMs = 60_000

/** What runs and waits first: patches come for these rows, the others do not change by themselves. */
const watched: ListQuery = {
  filter: 'all',
  search: '',
  sort: 'queue',
  order: 'asc',
  offset: 0,
  limit: 500,
}

interface KeptEvent {
  number: number
  text: string
}

export class EventsHub {
  readonly #connect: ConnectClient
  readonly #listeners = new Set<() => void>()
  #epoch = ''
  #kept: KeptEvent[] = []
  #last = 0
  #client: Client | null = null
  #lingering: NodeJS.Timeout | undefined

  constructor(connect: ConnectClient) {
    this.#connect = connect
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** `lastEventId`: the id of the last event that the client has, if it has any. */
  async stream(lastEventId: string | undefined): Promise<Readable> {
    const client = await this.#open()
    return Readable.from(this.#follow(client, this.#numberOf(lastEventId)), { objectMode: false })
  }

  close(): void {
    clearTimeout(this.#lingering)
    this.#client?.close()
    this.#client = null
  }

  async #open(): Promise<Client> {
    clearTimeout(this.#lingering)
    if (this.#client !== null) return this.#client
    this.#epoch = randomBytes(6).toString('hex')
    this.#kept = []
    this.#last = 0
    const client = this.#connect((name, event) => this.#keep(name, event))
    this.#client = client
    await client.watchList(watched)
    return client
  }

  #keep(name: string, data: unknown): void {
    const number = ++this.#last
    this.#kept.push({ number, text: eventText({ name, data, id: `${this.#epoch}.${number}` }) })
    if (this.#kept.length > mostKept) this.#kept.shift()
    for (const wake of this.#listeners) wake()
  }

  /** The number of an event that the next one is still kept of; null: a snapshot is needed. */
  #numberOf(lastEventId: string | undefined): number | null {
    const [epoch, digits = ''] = (lastEventId ?? '').split('.')
    const number = /^\d{1,15}$/.test(digits) ? Number(digits) : NaN
    if (epoch !== this.#epoch || !(number <= this.#last)) return null
    const oldest = this.#kept[0]?.number ?? this.#last + 1
    return number + 1 >= oldest ? number : null
  }

  async *#follow(client: Client, from: number | null): AsyncGenerator<string> {
    let wake: () => void = () => undefined
    const onEvent = (): void => wake()
    this.#listeners.add(onEvent)
    try {
      let at = from ?? this.#last
      if (from === null) yield await this.#snapshot(client, at)
      for (;;) {
        // ready to be woken before it looks, so that nothing falls between
        const { promise: woken, resolve } = Promise.withResolvers<'news' | 'quiet'>()
        wake = () => resolve('news')
        const [first] = this.#kept
        if (first !== undefined && first.number > at + 1) {
          // it was away for longer than events are kept
          at = this.#last
          yield await this.#snapshot(client, at)
          continue
        }
        const news = this.#kept.filter(({ number }) => number > at)
        at = this.#last
        if (news.length > 0) {
          yield news.map(({ text }) => text).join('')
          continue
        }
        const timer = setTimeout(() => resolve('quiet'), keepAliveMs).unref()
        if ((await woken) === 'quiet') yield keepAliveText
        clearTimeout(timer)
      }
    } finally {
      this.#listeners.delete(onEvent)
      if (this.#listeners.size === 0) this.#lingering = setTimeout(() => this.close(), lingerMs).unref()
    }
  }

  async #snapshot(client: Client, number: number): Promise<string> {
    const answer = await client.call('list.query', watched)
    const data = answer.ok ? answer.value : { error: answer.error }
    return eventText({ name: 'snapshot', data, id: `${this.#epoch}.${number}` })
  }
}
