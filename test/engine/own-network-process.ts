/**
 * One download of the real engine beside its host, in a network of its own (the test starts it under `unshare -n`):
 * what happens to that network meanwhile is the first argument. Prints the outcome and whether the bytes are right.
 */
import { execFileSync } from 'node:child_process'
import { FaultServer } from '../fault-server/fault-server.ts'
import { Rig, quickTimings, sourceHash, summary } from './harness.ts'

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'pipe' })
const what = process.argv[2]
const length = what === 'loss' ? 256 * 1024 : 4 * 1024 * 1024
let address = '10.9.0.1'

run('ip', 'link', 'set', 'lo', 'up')
run('ip', 'address', 'add', `${address}/32`, 'dev', 'lo')
const server = await FaultServer.start({ host: '0.0.0.0' })
server.serve('/f', { length, etag: '"v"', bytesPerSecond: 4 * 1024 * 1024 })
const rig = await Rig.create({
  timings: what === 'loss' ? { connectMs: 5_000, headMs: 5_000, stallMs: 3_000 } : quickTimings,
  environment: {},
  lookup: () => Promise.resolve([address]),
})
if (what === 'loss') {
  run('nft', 'add table inet lossy')
  run('nft', 'add chain inet lossy input { type filter hook input priority 0; }')
  run('nft', 'add rule inet lossy input meta l4proto tcp numgen random mod 100 < 30 drop')
}
const step = rig.start(rig.order(`http://h.example:${server.port}/f`), {
  limits: { connections: 2, retryBudget: 50 },
})
if (what !== 'loss') {
  await server.until(() => server.bodyBytesSent('/f') > length / 4)
  if (what === 'moved') {
    // The old address is gone without a word to those who are connected to it.
    run('ip', 'address', 'del', `${address}/32`, 'dev', 'lo')
    address = '10.9.0.2'
    run('ip', 'address', 'add', `${address}/32`, 'dev', 'lo')
  } else {
    run('ip', 'link', 'set', 'lo', 'down')
    await step.until(({ progress }) => progress.at(-1)?.activity === 'waiting')
    run('ip', 'link', 'set', 'lo', 'up')
    run('ip', 'address', 'replace', `${address}/32`, 'dev', 'lo')
  }
}
const outcome = await step.outcome
const isRight = outcome.kind === 'completed' && (await rig.sha256()) === sourceHash(length)
console.log(JSON.stringify({ said: summary(outcome), isRight }))
await rig.close()
process.exit(0)
