import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { InMemoryTaskStore } from './in-memory-task-store.ts'
import { taskStoreContract } from './task-store.contract.ts'

taskStoreContract('in memory', () => {
  let store = new InMemoryTaskStore()
  return Promise.resolve({
    store,
    reopen: () => Promise.resolve((store = store.reopen())),
    dispose: () => store.close(),
  })
})

for (const inThread of [true, false]) {
  taskStoreContract(inThread ? 'SQLite in its thread' : 'SQLite in this thread', async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'sluice-store-'))
    let store = await SqliteTaskStore.open({ dataFolder, inThread })
    return {
      store,
      reopen: async () => {
        await store.close()
        return (store = await SqliteTaskStore.open({ dataFolder, inThread }))
      },
      dispose: async () => {
        await store.close()
        await rm(dataFolder, { recursive: true })
      },
    }
  })
}
