/** The database in a thread of its own: the far end of `threadLine`. */
import { parentPort, workerData } from 'node:worker_threads'
import { storageError } from './storage-error.ts'
import type { StoreBatch, StoreDeskData, StoreThreadMessage } from './store-calls.ts'
import { StoreDesk } from './store-desk.ts'

function main(): void {
  const port = parentPort
  if (port === null) throw new Error('the store runs in a thread of its own')
  const send = (message: StoreThreadMessage) => port.postMessage(message)
  let desk: StoreDesk
  try {
    // what the constructor of the thread passes: both ends are built together
    desk = new StoreDesk(workerData as StoreDeskData)
  } catch (error) {
    send({ kind: 'not-opened', error: storageError(error).toRecord() })
    port.close()
    return
  }
  send({ kind: 'opened' })
  port.on('message', ({ calls }: StoreBatch) => {
    send({ kind: 'answers', answers: desk.answer(calls) })
    if (calls.some((call) => call.method === 'close')) port.close()
  })
}

main()
