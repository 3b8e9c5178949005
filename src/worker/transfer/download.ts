/**
 * One plain download from its order to its outcome: prepare the file, open the source, transfer, checkpoint,
 * recover from trouble, verify, publish.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { checkHeaders } from '../../shared/request-headers.ts'
import type { Checkpoint } from '../../shared/task/resource.ts'
import type { StepOutcome } from '../../shared/worker-protocol.ts'
import type { StepContext, StepProgress } from '../step-executor.ts'
import { parseChecksum } from '../files/checksum.ts'
import { nameFor } from '../files/names.ts'
import { PartialFile } from '../files/partial-file.ts'
import { describeOutput, publishFile } from '../files/publish.ts'
import { SetAside } from '../files/set-aside.ts'
import { inWorkingFolder, openWorkingFolder } from '../files/working-folder.ts'
import { Checkpoints } from './checkpoints.ts'
import { ChecksumWatch } from './checksum-watch.ts'
import type { Engine } from './engine.ts'
import type { FetchOrder } from './fetch-order.ts'
import { contradicts } from './first-answer.ts'
import type { KnownResource } from './first-open.ts'
import { openFirst } from './first-open.ts'
import { changedTrouble } from './lane.ts'
import type { OpenResource } from './opened.ts'
import { ProgressReport } from './progress-report.ts'
import { coversRange, totalBytes } from './range-set.ts'
import { RangeTransfer } from './range-transfer.ts'
import { SourceOpener } from './source-opener.ts'
import { decideNext } from './step-outcome.ts'
import { Trouble, networkTrouble, protocolTrouble } from './trouble.ts'

/** Without ranges a download may be interrupted for another one only while it is this small. */
const smallBytes = 1024 * 1024

export class Download {
  readonly #engine: Engine
  readonly #order: FetchOrder
  readonly #context: StepContext
  readonly #path: string
  readonly #opener: SourceOpener
  readonly #checksum = new ChecksumWatch()
  readonly #checkpoints: Checkpoints
  readonly #progress: ProgressReport
  #known: KnownResource
  #file: PartialFile | null = null
  #transfer: RangeTransfer | null = null
  #failures: number
  #durableAtFailure = 0
  #wasDamaged = false
  #restarts = 0
  readonly #setAside = new SetAside()

  /** Throws a `SluiceError` for an order that cannot be carried out. */
  constructor(engine: Engine, order: FetchOrder, context: StepContext) {
    this.#engine = engine
    this.#order = order
    this.#context = context
    this.#path = inWorkingFolder(order.workingFolder, order.fileName)
    this.#opener = new SourceOpener(engine, order.source, order.proxy, order.access)
    this.#known = this.#nothingKnown()
    this.#checkpoints = new Checkpoints({
      fileName: order.fileName,
      atMostMs: engine.timings.checkpointMs,
      report: (checkpoint) => context.reportCheckpoint(checkpoint),
    })
    this.#progress = new ProgressReport((progress) => context.reportProgress(progress))
    if (order.checksum !== null) parseChecksum(order.checksum)
    checkHeaders(order.source.headers)
    this.#failures = context.failures
  }

  #nothingKnown(): KnownResource {
    const { facts, url } = this.#order.source
    return {
      length: null,
      validator: null,
      toBeProved: false,
      finalUrl: facts?.finalUrl ?? url,
      resumable: facts?.acceptsRanges ?? true,
      checksum: null,
      askPlain: false,
      largestRequest: Number.POSITIVE_INFINITY,
    }
  }

  /** Never rejects for what the world does. */
  async run(checkpoint: Checkpoint | null): Promise<StepOutcome> {
    const { signal } = this.#context
    const onStop = () => this.#transfer?.stop(stopped())
    signal.addEventListener('abort', onStop)
    const applyLimits = () => this.#engine.limiter.setLimit(this.#context.limits().bytesPerSecond)
    applyLimits()
    const endLimits = this.#context.onLimits(applyLimits)
    try {
      for (;;) {
        try {
          signal.throwIfAborted()
          this.#file ??= await this.#prepare(checkpoint)
          while (!this.#isWhole(this.#file)) await this.#fetch(this.#file)
          return await this.#finish(this.#file)
        } catch (thrown) {
          const outcome = await this.#recover(thrown)
          if (outcome !== null) return outcome
        }
      }
    } finally {
      endLimits()
      signal.removeEventListener('abort', onStop)
      await this.#checkpoints.settle()
      this.#checksum.drop()
      await this.#file?.close()
    }
  }

  // ------------------------------------------------------------------ the file

  async #prepare(checkpoint: Checkpoint | null): Promise<PartialFile> {
    const folder = await openWorkingFolder(this.#order.workingFolder)
    if (checkpoint?.kind === 'ranges' && folder === 'found') {
      const file = await PartialFile.reopen(this.#path, checkpoint, this.#engine.writePace)
      if (file !== null) {
        const { length, validator, finalUrl } = checkpoint
        this.#known = {
          ...this.#known,
          length,
          validator,
          finalUrl,
          toBeProved: checkpoint.toBeProved ?? false,
        }
        this.#durableAtFailure = totalBytes(file.durable)
        return file
      }
    }
    return PartialFile.create(this.#path, this.#engine.writePace)
  }

  #isWhole(file: PartialFile): boolean {
    const { length, toBeProved } = this.#known
    return length !== null && !toBeProved && coversRange(file.written, 0, length)
  }

  /** What is held does not count any more: said durably before it is written over. */
  async #forget(file: PartialFile): Promise<void> {
    this.#checksum.drop()
    await file.clear()
    this.#progress.drop()
    await this.#checkpoints.record(file, this.#known)
  }

  // ------------------------------------------------------------------ fetching

  async #fetch(file: PartialFile): Promise<void> {
    const { signal } = this.#context
    const known = this.#known
    this.#tell('connecting')
    const first = await openFirst({
      engine: this.#engine,
      order: this.#order,
      opener: this.#opener,
      file,
      known,
      signal,
      forget: () => this.#forget(file),
      met: (resource, left) => this.#reportFacts(resource, left),
    })
    if (first === null) return
    try {
      if (known.length !== null) await file.reserve(known.length, this.#engine.room)
    } catch (thrown) {
      first.resource.close()
      throw thrown
    }
    const transfer = new RangeTransfer({
      engine: this.#engine,
      file,
      length: known.length,
      guarded: known.validator !== null,
      splittable: known.resumable && known.validator !== null && known.length !== null,
      largestRequest: known.largestRequest,
      hostKey: this.#opener.hostKey,
      limits: () => this.#context.limits(),
      open: (start, end, laneSignal) =>
        this.#opener.openFinal({ start, end }, known.validator?.value ?? null, laneSignal),
      checkSame: (resource) => this.#checkSame(resource),
      onTick: () => this.#tick(file),
    })
    this.#transfer = transfer
    this.#checkpoints.begin(performance.now())
    this.#progress.begin(first.resource.askedAt)
    this.#checksum.begin(first.start + (first.proof?.length ?? 0))
    const before = totalBytes(file.written)
    try {
      if (signal.aborted) transfer.stop(stopped())
      await transfer.run(first)
      const gained = totalBytes(file.written) > before
      // A part of a whole of unknown length may be followed by another: it ends where nothing more comes.
      if (first.resource.status !== 206 || !gained) known.length ??= transfer.length
      if (!gained && !this.#isWhole(file)) throw protocolTrouble('ranges that lead nowhere')
    } finally {
      this.#transfer = null
    }
  }

  #checkSame(resource: OpenResource): void {
    const { length, validator } = resource.facts
    const known = this.#known
    const otherLength = length !== null && known.length !== null && length !== known.length
    const otherVersion = known.validator !== null && contradicts(known.validator, validator)
    if (otherLength || otherVersion) throw changedTrouble()
  }

  #reportFacts(resource: OpenResource, left: boolean): void {
    const { resumable, length } = this.#known
    const named = !left && this.#order.publishTo !== null
    this.#context.reportFacts({
      preemptible: resumable || (length ?? Number.POSITIVE_INFINITY) <= smallBytes,
      resource: { ...resource.facts, acceptsRanges: resumable },
      suggestedName: named
        ? nameFor({
            contentDisposition: resource.contentDisposition,
            url: resource.facts.finalUrl,
            contentType: resource.facts.contentType,
          })
        : null,
    })
  }

  // ------------------------------------------------------------------ progress and checkpoints

  #tell(activity: StepProgress['activity']): void {
    this.#progress.report({ activity, size: this.#known.length, file: this.#file, transfer: this.#transfer })
  }

  #tick(file: PartialFile): void {
    const transfer = this.#transfer
    if (transfer === null) return
    const now = performance.now()
    this.#progress.measure(now, transfer.received)
    this.#tell(transfer.connecting ? 'connecting' : 'transferring')
    this.#setAside.drop(totalBytes(file.written))
    this.#checksum.follow(this.#expectedChecksum(), file, transfer)
    this.#checkpoints.follow(now, transfer, file, this.#known)
  }

  async #lastCheckpoint(): Promise<Checkpoint | null> {
    return this.#file === null ? null : this.#checkpoints.last(this.#file, this.#known)
  }

  // ------------------------------------------------------------------ trouble

  /** The outcome that ends the step, or null to go on. */
  async #recover(thrown: unknown): Promise<StepOutcome | null> {
    const { signal } = this.#context
    if (signal.aborted) {
      const checkpoint = signal.reason === 'discard' ? null : await this.#lastCheckpoint()
      return { kind: 'paused', checkpoint, cause: null }
    }
    if (!(thrown instanceof Trouble)) throw thrown
    const checkpoint = await this.#lastCheckpoint()
    const durable = this.#file === null || !this.#known.resumable ? 0 : totalBytes(this.#file.durable)
    this.#failures = durable > this.#durableAtFailure ? 1 : this.#failures + 1
    this.#durableAtFailure = durable
    const next = decideNext(thrown, {
      holdsData: durable > 0,
      failures: this.#failures,
      budget: this.#context.limits().retryBudget,
      policy: this.#order.changedResourcePolicy,
      wasDamaged: this.#wasDamaged,
      restarts: this.#restarts,
      chance: this.#engine.chance(),
    })
    switch (next.kind) {
      case 'end':
        return next.outcome(checkpoint)
      case 'wait':
        this.#tell('waiting')
        // Stopped while it waits: the loop sees the signal.
        await delay(next.ms, null, { signal }).catch(() => null)
        return null
      case 'step-back':
        this.#wasDamaged = true
        this.#checksum.drop()
        this.#progress.drop()
        await this.#file?.close()
        this.#file =
          checkpoint?.kind === 'ranges'
            ? await PartialFile.reopen(this.#path, checkpoint, this.#engine.writePace).catch(() => null)
            : null
        return null
      case 'start-over':
        await this.#startOver()
        return null
    }
  }

  /** Begins from zero; the old partial stays beside the new one until that has passed it. */
  async #startOver(): Promise<void> {
    this.#restarts += 1
    this.#checksum.drop()
    this.#progress.drop()
    this.#known = { ...this.#nothingKnown(), resumable: true }
    const file = this.#file
    this.#file = null
    if (file === null) return
    await this.#setAside.take(file)
    this.#durableAtFailure = 0
    this.#file = await PartialFile.create(this.#path, this.#engine.writePace)
    await this.#checkpoints.record(this.#file, this.#known)
  }

  // ------------------------------------------------------------------ the end

  /** The user's, else the host's. */
  #expectedChecksum(): string | null {
    return this.#order.checksum ?? this.#known.checksum
  }

  async #finish(file: PartialFile): Promise<StepOutcome> {
    const { signal } = this.#context
    const length = this.#known.length ?? 0
    this.#tell('flushing')
    await this.#checkpoints.settle()
    await file.finish(length)
    const checksum = this.#expectedChecksum()
    if (checksum !== null) {
      this.#tell('verifying')
      const problem = await this.#checksum.verify(checksum, this.#path, length, signal)
      if (problem !== null) return { kind: 'failed', error: problem.toRecord() }
    }
    signal.throwIfAborted()
    this.#setAside.drop(Number.POSITIVE_INFINITY)
    if (this.#order.publishTo === null) {
      return { kind: 'completed', result: { kind: 'track', output: describeOutput(this.#path) } }
    }
    const published = await publishFile(this.#path, this.#context, {
      url: this.#known.finalUrl,
      pace: this.#engine.writePace,
    })
    if (published.kind === 'refused') {
      return { kind: 'paused', checkpoint: await this.#lastCheckpoint(), cause: null }
    }
    return { kind: 'completed', result: published.result }
  }
}

/** What a transfer rejects with when the step was told to stop; the signal says how. */
function stopped(): Trouble {
  return networkTrouble({ code: 'ECONNRESET' }, '')
}
