/**
 * The checkpoints of one download. Data is made durable first and named then, never the other way round: what a
 * checkpoint names is believed after a power cut. One at a time, so that a slow drive is not given more to do than it
 * gets done.
 */
import type { Checkpoint } from '../../shared/task/resource.ts'
import type { PartialFile } from '../files/partial-file.ts'
import type { KnownResource } from './first-open.ts'
import type { RangeTransfer } from './range-transfer.ts'
import { SyncPlan } from './sync-plan.ts'
import { storageTrouble } from './trouble.ts'

export class Checkpoints {
  readonly #fileName: string
  readonly #report: (checkpoint: Checkpoint) => void
  readonly #plan: SyncPlan
  /** a checkpoint, or a sync without one */
  #syncing: Promise<void> | null = null

  /** `fileName`: the file's in its working folder; `atMostMs`: time between two checkpoints. */
  constructor(parts: { fileName: string; atMostMs: number; report: (checkpoint: Checkpoint) => void }) {
    this.#fileName = parts.fileName
    this.#report = parts.report
    this.#plan = new SyncPlan(parts.atMostMs)
  }

  /** A transfer begins, with nothing received. */
  begin(nowMs: number): void {
    this.#plan.begin(nowMs)
  }

  /** Begins what is due; call at regular times while the transfer runs. It is stopped where the drive fails. */
  follow(
    nowMs: number,
    transfer: Pick<RangeTransfer, 'received' | 'flush' | 'stop'>,
    file: PartialFile,
    known: KnownResource,
  ): void {
    if (this.#syncing !== null) return
    const due = this.#plan.due(nowMs, transfer.received, known.resumable)
    if (due === null) return
    const work = due === 'checkpoint' ? this.#make(transfer, file, known) : file.sync()
    this.#syncing = work
      .catch((thrown: unknown) => transfer.stop(storageTrouble(thrown, file.path)))
      .finally(() => (this.#syncing = null))
  }

  async #make(
    transfer: Pick<RangeTransfer, 'flush'>,
    file: PartialFile,
    known: KnownResource,
  ): Promise<void> {
    await transfer.flush()
    await file.sync()
    await this.record(file, known)
  }

  /** Waits until nothing is being synced; never rejects. */
  async settle(): Promise<void> {
    await this.#syncing
  }

  /** Tells what is durable by now. Rejects with a storage `Trouble`. */
  async record(file: PartialFile, known: KnownResource): Promise<void> {
    this.#report(await this.#of(file, known))
  }

  /** The one to stop with: everything that is written, made durable if the drive still does that. */
  async last(file: PartialFile, known: KnownResource): Promise<Checkpoint | null> {
    await this.settle()
    await file.settle()
    // A drive that fails here fails the attempt elsewhere; the last good checkpoint stands.
    await file.sync().catch(() => null)
    const checkpoint = await this.#of(file, known).catch(() => null)
    if (checkpoint !== null) this.#report(checkpoint)
    return checkpoint
  }

  /** Names durable bytes only; of a host without ranges none, since they would be of no use. */
  async #of(file: PartialFile, known: KnownResource): Promise<Checkpoint> {
    const { length, validator, toBeProved, finalUrl, resumable } = known
    const ranges = resumable ? file.durable : []
    return {
      kind: 'ranges',
      fileName: this.#fileName,
      length,
      validator,
      ...(toBeProved ? { toBeProved } : {}),
      finalUrl,
      ranges: ranges.map(([start, end]) => [start, end]),
      fronts: await file.fronts(ranges),
    }
  }
}
