import { Socket } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { BodySink } from './body-sink.ts'
import { HeldBytes } from './held-bytes.ts'
import { Http1Body } from './http1-body.ts'
import type { Framing } from './response-head.ts'
import { slabBytes, SlabPool } from './slab-pool.ts'
import type { Trouble } from './trouble.ts'

const hello = '5\r\nhello\r\n0\r\n\r\n'
const length = (bytes: number): Framing => ({ kind: 'length', length: bytes })
const pool = new SlabPool()

/** A body, with how often its connection was let go and whether for another request; and a sink that keeps what came. */
function waitingBody(framing: Framing, keepAlive = true) {
  const held = new HeldBytes()
  const told = { over: [] as boolean[], text: '', ended: [] as (Trouble | null)[] }
  const body = new Http1Body(
    { framing, keepAlive },
    {
      host: 'h.test',
      addressClass: null,
      pool,
      socket: new Socket(),
      held,
      onOver: (reusable) => told.over.push(reusable),
    },
  )
  const sink: BodySink = {
    slabBytes,
    data: (slab, start, end) => {
      told.text += slab.bytes.toString('latin1', start, end)
      return true
    },
    ended: (problem) => told.ended.push(problem),
  }
  return { body, held, sink, told }
}

/** The wire's bytes come in pieces, some before the sink, and some of the others in slabs. */
function deliver({ body, held, sink }: ReturnType<typeof waitingBody>, pieces: string[], early: number) {
  pieces.slice(0, early).forEach((piece) => held.keep(Buffer.from(piece)))
  body.receive(sink, null)
  pieces.slice(early).forEach((piece, index) => {
    const room = index % 2 === 0 ? body.room() : null
    if (room === null) body.arrived(Buffer.from(piece))
    else body.took(room.write(piece, 'latin1'))
  })
}

/** All ways to cut a text into pieces. */
const piecesOf = (text: string) =>
  fc
    .subarray(Array.from({ length: text.length - 1 }, (_, index) => index + 1))
    .map((cuts) => [0, ...cuts].map((from, index) => text.slice(from, cuts[index])))

it.each([
  ['a length', length(5), true, 'hello', 5, true],
  ['a length of a host that closes', length(5), false, 'hello', 5, false],
  ['a length, cut', length(5), true, 'hello', 3, false],
  ['chunks', { kind: 'chunked' }, true, hello, 5, true],
  ['chunks, cut at their last byte of data', { kind: 'chunked' }, true, hello, 3, false],
] as const)('with %s, however the bytes come', (_, framing, keepAlive, wire, wanted, reusable) => {
  fc.assert(
    fc.property(piecesOf(wire), fc.nat(20), (pieces, early) => {
      const made = waitingBody(framing, keepAlive)
      if (wanted < 5) made.body.stopAfter(wanted)
      deliver(made, pieces, early)
      expect(made.told).toEqual({ over: [reusable], text: 'hello'.slice(0, wanted), ended: [null] })
      expect(made.body.bodyReceived).toBe(wanted)
    }),
  )
})

it.each([
  ['a length', length(5), 'hello!', 'hello'],
  ['chunks', { kind: 'chunked' }, `${hello}!`, 'hello'],
  ['an answer without a body', { kind: 'none' }, '!', ''],
  ['a length that fills a slab', length(slabBytes), `${'x'.repeat(slabBytes)}!`, 'x'.repeat(slabBytes)],
] as const)('a host that sends more than it said by %s gets no further request', (_, framing, wire, text) => {
  const made = waitingBody(framing)
  deliver(made, [wire], 1)
  expect(made.told).toEqual({ over: [false], text, ended: [null] })
})

it('a host that goes is the end of a body without a framing, and breaks any other', () => {
  for (const [framing, code] of [
    [{ kind: 'close' }, undefined],
    [length(6), 'NETWORK_ERROR'],
    [{ kind: 'chunked' }, 'NETWORK_ERROR'],
  ] as const) {
    for (const goesEarly of [true, false]) {
      const made = waitingBody(framing)
      made.held.keep(Buffer.from(framing.kind === 'chunked' ? hello.slice(0, 8) : 'hello'))
      if (goesEarly) made.body.finishedByPeer()
      made.body.receive(made.sink, null)
      if (!goesEarly) made.body.finishedByPeer()
      expect(made.told.text).toBe('hello')
      expect(made.told.over).toEqual([false])
      expect(made.told.ended.map((problem) => problem?.error.code)).toEqual([code])
    }
  }
})

it('whoever still has a body that is over cannot close the connection that another request is on', () => {
  const made = waitingBody(length(5))
  deliver(made, ['hello'], 0)
  made.body.destroy()
  made.body.stopAfter(0)
  expect(made.told).toEqual({ over: [true], text: 'hello', ended: [null] })
})
