/** What is refused does not touch the database: not a byte of its files changes. */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bad, refused } from '../core/bad-input-cases.ts'
import { FaultServer } from '../fault-server/fault-server.ts'
import { RealHost } from './real-host.ts'

it('invariant 22: no refused command changes a byte of the database', async () => {
  const downloads = await mkdtemp(join(tmpdir(), 'sluice-refused-'))
  const dataFolder = join(downloads, 'data')
  const server = await FaultServer.start()
  server.serve('/file', { length: 1000, seed: 1, etag: '"a"' })
  const host = await RealHost.start({ dataFolder, downloads, mayWrite: (folder) => folder !== '/etc' })
  try {
    const [complete = '', cancelled = ''] = await host.add(server.url('/file'), server.url('/other'))
    await host.call('tasks.cancel', { ids: [cancelled] })
    await host.untilState(complete, 'COMPLETED')
    await host.untilState(cancelled, 'CANCELLED')
    // nothing runs from here on: what runs writes of its own accord
    const { results } = await host.call('tasks.add', {
      links: [server.url('/later')],
      options: { startPaused: true },
    })
    const later = results[0]?.kind === 'added' ? results[0].id : ''
    const live = (await host.task(later)).job.id
    const ids: Record<string, string> = { complete, cancelled, running: later, waiting: later, live }
    const withIds = (input: unknown): unknown =>
      JSON.parse(JSON.stringify(input ?? null), (_key, value: unknown) =>
        typeof value === 'string' ? (ids[value] ?? value) : value,
      )
    const bytes = async () => {
      const names = (await readdir(dataFolder)).filter((name) => name.startsWith('sluice.db')).sort()
      const files = await Promise.all(names.map((name) => readFile(join(dataFolder, name), 'latin1')))
      // the index of the journal counts readers; it holds nothing that is stored
      return names.map((name, place) => (name.endsWith('-shm') ? name : `${name} ${files[place] ?? ''}`))
    }
    const before = await bytes()
    for (const [what, name, input] of [...bad, ...refused]) {
      const answer = await host.ask(name, withIds(input))
      const all = answer.ok ? (answer.value as { results: { kind: string }[] }).results : []
      expect(
        all.filter((result) => result.kind !== 'refused'),
        what,
      ).toEqual([])
    }
    expect(await bytes()).toEqual(before)
  } finally {
    await host.stop()
    await server.close()
    await rm(downloads, { recursive: true })
  }
})
