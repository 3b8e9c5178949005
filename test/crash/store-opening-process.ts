/** `node store-opening-process.ts FOLDER`: one short life of a store: opened, written to, closed. */
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { sampleTask } from '../contracts/sample-task.ts'

const store = await SqliteTaskStore.open({ dataFolder: process.argv[2] ?? '' })
await store.commit([{ kind: 'put-task', task: sampleTask('from-the-opener') }])
await store.close()
