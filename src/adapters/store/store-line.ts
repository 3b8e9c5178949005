/** The ways from the store's port to the desk that owns the database. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { SluiceError } from '../../shared/errors.ts'
import { entryPoint } from '../entry-point.ts'
import type { StoreAnswer, StoreCall, StoreDeskData, StoreThreadMessage } from './store-calls.ts'
import { StoreDesk } from './store-desk.ts'

export interface StoreLine {
  /** One batch at a time: the next one after the answers to this one. */
  send(calls: StoreCall[]): void
  onAnswers(listener: (answers: readonly StoreAnswer[]) => void): void
  /** The desk is gone, by itself or after `close`. */
  onEnd(listener: (cause: unknown) => void): void
  /** Resolves when the desk, which was asked to close, is gone. */
  ended(): Promise<void>
}

/** The thread's first word. One that dies without a word (its program or SQLite's cannot be loaded) is an error too. */
function untilOpen(thread: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(new SluiceError('INTERNAL', 'The task list could not be started', { cause }))
    thread.once('error', fail)
    thread.once('exit', fail)
    thread.once('message', (first: StoreThreadMessage) => {
      thread.off('error', fail)
      thread.off('exit', fail)
      if (first.kind === 'not-opened') reject(SluiceError.fromRecord(first.error))
      else resolve()
    })
  })
}

/** To a desk in a thread of its own: a commit waits for the disk, and a process that draws a window must not. */
export async function threadLine(data: StoreDeskData): Promise<StoreLine> {
  // a process without such a thread need not load what makes one
  const threads = process.getBuiltinModule('node:worker_threads')
  const thread = new threads.Worker(entryPoint('store-thread'), { workerData: data, name: 'store' })
  await untilOpen(thread)
  const exited = once(thread, 'exit')
  return {
    send: (calls) => thread.postMessage({ calls }),
    onAnswers: (listener) => {
      thread.on('message', (message: StoreThreadMessage) => {
        if (message.kind === 'answers') listener(message.answers)
      })
    },
    onEnd: (listener) => {
      thread.on('error', listener)
      thread.on('exit', () => listener(undefined))
    },
    ended: async () => {
      await exited
    },
  }
}

/**
 * To a desk in this thread, for a process that nobody watches: a second thread costs a short command more than its
 * whole download. Answers come later all the same, as they do from a thread.
 */
export function directLine(data: StoreDeskData): StoreLine {
  const desk = new StoreDesk(data)
  let tell: (answers: readonly StoreAnswer[]) => void = () => undefined
  return {
    send: (calls) => {
      const answers = desk.answer(calls)
      queueMicrotask(() => tell(answers))
    },
    onAnswers: (listener) => (tell = listener),
    // it lives as long as this process, and its faults are those of its answers
    onEnd: () => undefined,
    ended: () => Promise.resolve(),
  }
}
