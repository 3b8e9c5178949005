/**
 * F62: pause, resume, cancel, delete and move in any order, from the REST API, the RPC and WebSockets at once. Each
 * command is answered once, what was promised holds afterwards, and all ways of asking see the same list.
 */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { ServerMessage } from '../../src/shared/contract/socket-messages.ts'
import type { TaskRow } from '../../src/shared/view.ts'
import { FaultServer } from '../fault-server/fault-server.ts'
import { RestClient } from './rest-client.ts'
import { TestServer } from './running-server.ts'

const commands = Number(process.env['SLUICE_HANDS'] ?? 300)
const tasks = 12
const jobs = '/api/download/jobs'

type Deed = 'pause' | 'resume' | 'cancel' | 'delete' | 'front'
const deeds: readonly Deed[] = ['pause', 'resume', 'pause', 'resume', 'front', 'cancel', 'delete']

/** Whether the host said that it is so now. */
type Hand = (deed: Deed, row: { id: string; jobId: string }) => Promise<boolean>

const rpcInput = (deed: Deed, id: string): [string, unknown] => {
  switch (deed) {
    case 'pause':
      return ['tasks.pause', { ids: [id] }]
    case 'resume':
      return ['tasks.restart', { ids: [id] }]
    case 'cancel':
      return ['tasks.cancel', { ids: [id] }]
    case 'delete':
      return ['tasks.delete', { target: { ids: [id] }, deleteFiles: true, undoable: false }]
    case 'front':
      return ['tasks.move', { ids: [id], before: 'front' }]
  }
}
const isDone = (result: unknown): boolean =>
  (result as { results: { kind: string }[] }).results.every(({ kind }) => kind === 'done')

async function webSocketHand({
  port,
  server,
}: TestServer): Promise<{ hand: Hand; socket: WebSocket; answers: () => number }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`)
  const waiting = new Map<number, (isDone: boolean) => void>()
  let answers = 0
  let last = 0
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const message = JSON.parse(data) as ServerMessage
    if (message.kind !== 'answer') return
    answers++
    waiting.get(message.id)?.(message.answer.ok && isDone(message.answer.value))
    waiting.delete(message.id)
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ kind: 'hello', secret: server.secret }))
  const hand: Hand = (deed, { id }) => {
    const [name, input] = rpcInput(deed, id)
    const number = ++last
    return new Promise((resolve) => {
      waiting.set(number, resolve)
      socket.send(JSON.stringify({ kind: 'call', id: number, name, input }))
    })
  }
  return { hand, socket, answers: () => answers }
}

const rpcHand =
  (server: TestServer): Hand =>
  async (deed, { id }) => {
    const [name, input] = rpcInput(deed, id)
    const response = await server.post(`/rpc/${name}`, input)
    return isDone(await response.json())
  }

/** `DELETE` of a live job cancels it, of an ended one removes it: what it did is in the status. */
const restHand =
  (api: RestClient, note: (what: Deed, id: string) => void): Hand =>
  async (deed, { id, jobId }) => {
    if (deed === 'cancel' || deed === 'delete') {
      const { status } = await api.delete(`${jobs}/${jobId}`)
      if (status === 200) note('cancel', id)
      if (status === 204) note('delete', id)
      return false
    }
    const { status } = await api.post(`${jobs}/${jobId}/${deed === 'front' ? 'priority' : deed}`)
    return status === 200
  }

test('many hands at once: every command is answered once, and what was promised holds', async () => {
  await using source = await FaultServer.start()
  const server = await TestServer.start()
  const web = await webSocketHand(server)
  try {
    for (let n = 0; n < tasks; n++) {
      source.serve(`/${n}.bin`, { length: 50_000_000, seed: n, etag: `"${n}"`, bytesPerSecond: 50_000 })
    }
    const links = Array.from({ length: tasks }, (_, n) => source.url(`/${n}.bin`))
    const { results } = await server.call('tasks.add', { links, options: { connections: 1 } })
    const rows = results.map((result) => (result.kind === 'added' ? result : { id: '', jobId: '' }))
    const promised = { cancel: new Set<string>(), delete: new Set<string>() }
    const note = (deed: Deed, id: string): void => {
      if (deed === 'cancel' || deed === 'delete') promised[deed].add(id)
    }
    const api = await RestClient.of(server)
    const hands = [web.hand, rpcHand(server), restHand(api, note)]
    let answered = 0
    let seed = 62
    const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
    const work = Array.from({ length: commands }, () => {
      const deed = deeds[random(deeds.length)] ?? 'pause'
      // most of the list is left alone by what ends a task, until the last commands
      const row = rows[deed === 'cancel' || deed === 'delete' ? random(4) : random(tasks)] ?? {
        id: '',
        jobId: '',
      }
      return { deed, row, hand: hands[random(hands.length)] ?? web.hand }
    })
    // thirty at a time, whoever they come from
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        for (let next = work.shift(); next !== undefined; next = work.shift()) {
          if (await next.hand(next.deed, next.row)) note(next.deed, next.row.id)
          answered++
        }
      }),
    )
    expect(answered).toBe(commands)
    const settled = async (): Promise<TaskRow[]> => {
      const query = {
        filter: 'all',
        search: '',
        sort: 'created',
        order: 'asc',
        offset: 0,
        limit: 500,
      } as const
      return (await server.call('list.query', query)).rows
    }
    await expect
      .poll(async () => (await settled()).filter((row) => row.stopRequested !== null), { timeout: 20_000 })
      .toEqual([])
    const after = await settled()
    const left = after.map(({ id }) => id)
    for (const id of promised.delete) expect(left).not.toContain(id)
    for (const row of after) {
      if (promised.cancel.has(row.id)) expect(row.state).toBe('CANCELLED')
      else expect(['WAITING', 'RUNNING', 'PAUSED']).toContain(row.state)
    }
    expect(left).toEqual(rows.map(({ id }) => id).filter((id) => !promised.delete.has(id)))
    expect((await api.jobs('?sort_order=asc')).map((job) => job.task_id)).toEqual(left)
    const running = after.filter((row) => row.state === 'RUNNING')
    expect(running.length).toBeLessThanOrEqual(3)
  } finally {
    web.socket.close()
    await server.end()
  }
})
