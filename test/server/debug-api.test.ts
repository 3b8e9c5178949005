/** `serve --debug-api`: failed jobs tell what the worker itself said, and nothing that is secret. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { FaultServer } from '../fault-server/fault-server.ts'
import { RestClient } from './rest-client.ts'
import { TestServer } from './running-server.ts'

const canary = 'canary-3e91c0'

async function failedJob(server: TestServer, source: FaultServer) {
  const api = await RestClient.of(server)
  const { host } = new URL(source.url('/'))
  const body = {
    url: `http://user:${canary}-link@${host}/gone.bin?token=${canary}-query`,
    headers: { Authorization: `Bearer ${canary}-header`, Cookie: `session=${canary}-cookie` },
  }
  const id = await api.accepted(api.post('/api/download', body))
  await api.until(id, 'failed')
  return { api, job: await api.job(id) }
}

test('with it, the attempts of a failed job have the stacks of its errors, secrets masked; without it, nothing', async () => {
  await using source = await FaultServer.start()
  const plain = await TestServer.start()
  try {
    const { job } = await failedJob(plain, source)
    expect(job.attempts.map((attempt) => 'worker_output' in attempt)).toEqual(job.attempts.map(() => false))
  } finally {
    await plain.end()
  }
  const debugged = await TestServer.start({ debugApi: true })
  try {
    const { api, job } = await failedJob(debugged, source)
    const output = job.attempts.map((attempt) => attempt.worker_output ?? '').join('')
    expect(output).toContain('SluiceError')
    expect(output).toMatch(/ {4}at /)
    expect(output).toContain(path.join('worker', 'transfer'))
    expect(JSON.stringify(job)).not.toContain(`${canary}-header`)
    expect(output).not.toContain(canary)
    expect(debugged.log.join('')).not.toContain(canary)
    // what did not fail says nothing
    source.serve('/good.bin', { length: 100 })
    const good = await api.accepted(api.post('/api/download', { url: source.url('/good.bin') }))
    expect(JSON.stringify(await api.until(good, 'completed'))).not.toContain('worker_output')
  } finally {
    await debugged.end()
  }
})
