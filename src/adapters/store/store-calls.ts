/** What the store's port asks of the desk, and how it answers. One message carries a batch of calls. */
import type { Change, TaskStore } from '../../core/ports.ts'
import type { ErrorRecord } from '../../shared/errors.ts'
import type { ListQuery } from '../../shared/view.ts'
import type { TokenBlock } from './token-records.ts'

export type StoreCall =
  | { method: 'loadLive' }
  | { method: 'load'; taskId: string }
  | { method: 'loadMany'; taskIds: readonly string[] }
  | { method: 'commit'; changes: readonly Change[] }
  | { method: 'reserveTokens' }
  | { method: 'list'; query: ListQuery }
  | { method: 'idsOf'; query: Pick<ListQuery, 'filter' | 'search'> }
  | { method: 'tasksFrom'; source: string }
  | { method: 'hostLimits' }
  | { method: 'terminalBefore'; finishedAt: number }
  | { method: 'claimsOn'; foldedPath: string }
  | { method: 'claimsOf'; taskId: string }
  | { method: 'history'; limit: number; service: string | undefined }
  | { method: 'job'; jobId: string }
  | { method: 'attempts'; taskId: string }
  | { method: 'openAttempts' }
  | { method: 'loadSettings' }
  | { method: 'trimHistory'; keep: number }
  | { method: 'close' }

/** The result that goes with each method. */
export type StoreResult<M extends StoreCall['method']> = M extends keyof TaskStore
  ? Awaited<ReturnType<TaskStore[M]>>
  : TokenBlock

export type StoreAnswer = { ok: true; value: unknown } | { ok: false; error: ErrorRecord }

/** What the desk is opened with. */
export interface StoreDeskData {
  dataFolder: string
  /** how long after the opening it looks whether a backup is due */
  backUpAfterMs: number
  /** the key that the system's key store keeps for this folder; null: one in a file of the folder */
  guardedKey: Uint8Array | null
}

export interface StoreBatch {
  calls: StoreCall[]
}

export type StoreThreadMessage =
  | { kind: 'opened' }
  | { kind: 'not-opened'; error: ErrorRecord }
  | { kind: 'answers'; answers: StoreAnswer[] }
