/** Puts the parts of the core together: one service per host process and data folder. */
import { listWatchSchema } from '../shared/contract/events.ts'
import { SluiceError, toErrorRecord } from '../shared/errors.ts'
import type { Settings } from '../shared/settings.ts'
import type { NetworkRules } from '../shared/worker-protocol.ts'
import { NameGrants } from './names/name-grants.ts'
import type { Ports } from './ports.ts'
import { Runs } from './runner/runs.ts'
import { SupervisedRunner } from './runner/supervised-runner.ts'
import { AllowedHours } from './scheduling/allowed-hours.ts'
import { Conditions } from './scheduling/conditions.ts'
import { HostLimits } from './scheduling/host-limits.ts'
import { Scheduler } from './scheduling/scheduler.ts'
import type { Client, SendEvent, TaskService } from './service.ts'
import { Alarms } from './service/alarms.ts'
import type { Handlers } from './service/commands.ts'
import { callCommand } from './service/commands.ts'
import type { AppInfo } from './service/handlers.ts'
import { handlersFor } from './service/handlers.ts'
import { Feed } from './service/feed.ts'
import { FileCare } from './service/file-care.ts'
import { Duplicates } from './service/duplicates.ts'
import { FollowUp } from './service/follow-up.ts'
import { HostStops } from './service/host-stops.ts'
import { Housekeeping } from './service/housekeeping.ts'
import { IdleWatch, isAllFinished } from './service/idle-watch.ts'
import { Lookups } from './service/lookups.ts'
import { Notices } from './service/notices.ts'
import { Operations } from './service/operations.ts'
import type { PowerHooks } from './service/power-plan.ts'
import { PowerPlan } from './service/power-plan.ts'
import { Reconciliation } from './service/reconcile.ts'
import { Resumptions } from './service/resumptions.ts'
import { RowSource } from './service/row-source.ts'
import { SettingsKeeper } from './service/settings-keeper.ts'
import { Shutdown } from './service/shutdown.ts'
import { TaskCommands } from './service/task-commands.ts'
import { TaskLines } from './service/task-lines.ts'
import { TaskMemory } from './service/task-memory.ts'
import { TaskWriter } from './service/task-writer.ts'
import type { Watcher } from './service/watcher.ts'
import type { TransitionContext } from './transition/transition.ts'
import { isAbsoluteFolder } from './service/absolute-folder.ts'

export type HostKind = 'electron' | 'server' | 'cli'

export interface TaskServiceOptions {
  /** new at each start of the host; revisions of events rise within it */
  readonly epoch: string
  readonly hostKind: HostKind
  readonly version: string
  /** `process.platform` of the host */
  readonly platform: string
  /** settings of a fresh data folder (`defaultSettings`); what is stored overrides them */
  readonly initialSettings: Settings
  /** desktop commands that this host can carry out */
  readonly capabilities?: readonly string[]
  /** false: clients of this host may not save there; everything is allowed without it */
  readonly mayWrite?: (folder: string) => boolean
  /** port on which the host listens; absent, and while it is null: as the settings say */
  readonly ownPort?: () => number | null
  /** what this host can do when all is finished */
  readonly powerHooks?: PowerHooks
  /** the FFmpeg that works, by the configured path ('' means: look for one); asked at start and on change */
  readonly findFfmpeg?: (configuredPath: string) => Promise<Ffmpeg | null>
  /** faults of our own, with their cause, for the log */
  readonly onFault?: (taskId: string | null, error: unknown) => void
}

export interface Ffmpeg {
  path: string
  version: string
}

/** Creates the service; nothing happens before `start`. */
export function createTaskService(ports: Ports, options: TaskServiceOptions): TaskService {
  return new ComposedTaskService(ports, options)
}

class ComposedTaskService implements TaskService {
  readonly #ports: Ports
  readonly #options: TaskServiceOptions
  readonly #settings: SettingsKeeper
  readonly #lines = new TaskLines()
  readonly #runs = new Runs()
  readonly #memory: TaskMemory
  readonly #runner: SupervisedRunner
  readonly #scheduler: Scheduler
  readonly #feed: Feed
  readonly #alarms: Alarms
  readonly #followUp: FollowUp
  readonly #resumptions: Resumptions
  readonly #conditions: Conditions
  readonly #hours: AllowedHours
  readonly #power: PowerPlan
  readonly #notices: Notices
  readonly #hostLimits: HostLimits
  readonly #housekeeping: Housekeeping
  readonly #idle: IdleWatch
  readonly #reconciliation: Reconciliation
  readonly #shutdown: Shutdown
  readonly #handlers: Handlers<Watcher>
  #ffmpeg: Ffmpeg | null = null
  #started: Promise<void> | null = null

  constructor(ports: Ports, options: TaskServiceOptions) {
    const { clock, store, files, workers } = ports
    this.#ports = ports
    this.#options = options
    this.#settings = new SettingsKeeper(store, options.initialSettings)
    const [lines, runs] = [this.#lines, this.#runs]
    const memory = (this.#memory = new TaskMemory(store))
    const context = () => this.#context()
    const settings = () => this.#settings.current
    const onFault = (taskId: string | null, error: unknown) => this.#onFault(taskId, error)
    const writer = new TaskWriter({
      store,
      files,
      memory,
      names: new NameGrants({ store, files }),
    })
    const care = new FileCare({ files, store })
    const hostLimits = (this.#hostLimits = new HostLimits({
      ...{ clock, store, runs, memory, onFault },
      perHost: () => settings().connectionsPerHost,
    }))
    const network = (): NetworkRules => {
      const { certificateFile, localApi, localApiPort } = settings()
      return { certificateFile, ownPort: options.ownPort?.() ?? (localApi === 'on' ? localApiPort : null) }
    }
    this.#runner = new SupervisedRunner({
      ...{ clock, random: ports.random, store, files, workers, lines, memory, writer, care, runs },
      ...{ hostLimits, settings, network, context, onFault },
      ffmpegPath: () => this.#ffmpeg?.path ?? null,
      speedLimit: () => this.#hours.speedLimit(),
      onFigures: (taskId) => this.#feed.figuresChanged(taskId),
      onStartFailed: () => this.#scheduler.backOff(),
      onFree: () => this.#onFree(),
      onHostLimitsRisen: () => this.#onConditionsChanged(),
    })
    const stops = new HostStops({ lines, memory, writer, context, onFault })
    this.#scheduler = new Scheduler({
      clock,
      runs,
      memory,
      limit: () => settings().maxConcurrentTasks,
      admit: (task) => this.#conditions.admit(task),
      start: (taskId) => this.#runner.start(taskId),
      preempt: (taskId, rank) => stops.preempt(taskId, rank),
    })
    const rows = new RowSource({
      clock,
      runs,
      memory,
      blockedBy: (task) => this.#conditions.blockOf(task),
      hostLimit: (task) => hostLimits.learntFor(task),
    })
    this.#feed = new Feed({ clock, store, runs, memory, rows, epoch: options.epoch, onFault })
    const followUp = (this.#followUp = new FollowUp({ clock, lines, memory, writer, care, context, onFault }))
    const resumptions = (this.#resumptions = new Resumptions({
      ...{ clock, lines, memory, writer, context, onFault },
    }))
    this.#alarms = new Alarms(clock, (taskId, kind) =>
      kind === 'purge' ? followUp.purgeLater(taskId) : resumptions.timeCame(taskId),
    )
    this.#hours = new AllowedHours({
      ...{ clock, runs, memory, settings },
      pause: (taskId, resumeAt) => stops.pauseForHours(taskId, resumeAt),
      resume: () => resumptions.hoursBegan(),
      onChange: () => this.#onConditionsChanged(),
    })
    this.#conditions = new Conditions({
      ...{ clock, files, network: ports.network, runs, memory, resumptions, hostLimits, onFault },
      reserveBytes: () => settings().reservedSpaceBytes,
      outsideHours: () => this.#hours.block(),
      onTight: (error) =>
        this.#feed.broadcast('notice', { kind: 'storage-warning', taskId: null, title: '', error }),
      onChange: () => this.#onConditionsChanged(),
    })
    this.#idle = new IdleWatch({
      runs,
      memory,
      isHeldBack: (task) => this.#conditions.blockOf(task) !== null && !this.#conditions.isAwaited(task),
    })
    const power = (this.#power = new PowerPlan({
      ...{ clock, hooks: options.powerHooks ?? {}, onFault },
      onChange: (plan) => this.#feed.broadcast('power.changed', plan),
    }))
    const isIdle = () => isAllFinished(runs, memory)
    const notices = (this.#notices = new Notices({
      send: (notice) => this.#feed.broadcast('notice', notice),
      isIdle,
      onAllFinished: () => power.allFinished(),
    }))
    const operations = new Operations({ store, lines, memory, writer, context })
    const gates = { mayWrite: options.mayWrite ?? (() => true), isAbsolute: isAbsoluteFolder }
    const lookups = new Lookups({
      ...{ clock, random: ports.random, store, workers },
      stallTimeoutMs: () => settings().stallTimeoutSeconds * 1000,
      network,
    })
    const taskCommands = new TaskCommands({
      ...{ clock, random: ports.random, store, lines, memory, writer, operations, care, followUp, rows },
      ...{ gates, lookups, duplicates: new Duplicates({ store, files, memory }) },
      settings,
      context,
    })
    this.#housekeeping = new Housekeeping({ clock, store, settings, tasks: taskCommands, onFault })
    const reconciled = { store, workers, memory, writer, care, followUp, settings, context, onFault }
    this.#reconciliation = new Reconciliation(reconciled)
    this.#shutdown = new Shutdown({ clock, lines, runs, memory, writer, context, onFault })
    this.#handlers = handlersFor({
      tasks: taskCommands,
      store,
      settings: this.#settings,
      gates,
      power,
      window: (query) => this.#feed.window(query),
      info: () => this.#info(),
    })
    writer.onWritten((written) => {
      this.#feed.take(written)
      notices.take(written)
      if (!isIdle()) power.workBegan()
      this.#alarms.take(written)
      followUp.take(written)
      this.#conditions.take(written)
      this.#hours.enforce()
      this.#scheduler.poke()
      this.#idle.check()
      notices.settle()
    })
    this.#settings.onChange((changed) => {
      this.#feed.broadcast('settings.changed', changed)
      this.#hours.look()
      this.#scheduler.poke()
      this.#runner.shareLimits()
      void this.#findFfmpeg()
    })
  }

  start(): Promise<void> {
    this.#started ??= this.#start()
    return this.#started
  }

  async #start(): Promise<void> {
    await this.#settings.load()
    await this.#hostLimits.load()
    await this.#findFfmpeg()
    await this.#reconciliation.run()
    for (const task of this.#memory.liveTasks()) this.#alarms.set(task)
    this.#conditions.restore(this.#memory.liveTasks())
    this.#hours.start()
    this.#housekeeping.start()
    this.#scheduler.open()
  }

  connect(send: SendEvent): Client {
    const watcher = this.#feed.add(send)
    return {
      call: (name, input) =>
        callCommand(this.#handlers, watcher, name, input, (error) => this.#onFault(null, error)),
      watchList: async (query) => {
        const parsed = listWatchSchema.safeParse(query)
        if (!parsed.success) {
          const error = new SluiceError('INVALID_INPUT', 'This is not a query of the list')
          return { ok: false, error: error.toRecord() }
        }
        try {
          await this.#feed.watch(watcher, parsed.data)
          return { ok: true, value: null }
        } catch (thrown) {
          this.#onFault(null, thrown)
          return { ok: false, error: toErrorRecord(thrown) }
        }
      },
      close: () => this.#feed.delete(watcher),
    }
  }

  whenIdle(): Promise<void> {
    return this.#idle.wait()
  }

  async stop(graceMs: number): Promise<void> {
    this.#scheduler.close()
    this.#hours.close()
    this.#power.close()
    this.#housekeeping.close()
    this.#alarms.close()
    this.#followUp.close()
    this.#resumptions.close()
    this.#conditions.close()
    await this.#shutdown.run(graceMs)
    this.#runner.close()
    this.#feed.close()
    const { workers, store } = this.#ports
    // where no attempt is left, nothing that a worker still says concerns the list
    if (this.#runs.size > 0) await workers.close()
    await Promise.all([workers.close(), store.close()])
  }

  #context(): TransitionContext {
    const { current } = this.#settings
    return {
      now: this.#ports.clock.now(),
      newId: () => this.#ports.random.id(),
      headRank: () => this.#memory.ranks.head(),
      tailRank: () => this.#memory.ranks.tail(),
      tracksAtOnce: current.maxTracksPerTask,
      retryBudget: current.retryBudget,
    }
  }

  #onFault(taskId: string | null, error: unknown): void {
    this.#options.onFault?.(taskId, error)
    this.#feed.broadcast('notice', {
      kind: 'fault',
      taskId,
      title: taskId === null ? '' : (this.#memory.live(taskId)?.title ?? ''),
      error: toErrorRecord(error),
    })
  }

  #onConditionsChanged(): void {
    this.#runner.shareLimits()
    this.#feed.blocksChanged()
    this.#scheduler.poke()
    this.#idle.check()
  }

  #onFree(): void {
    this.#runner.shareLimits()
    this.#scheduler.poke()
    this.#notices.settle()
    this.#idle.check()
  }

  #info(): AppInfo {
    const { hostKind, version, platform, capabilities } = this.#options
    return {
      version,
      host: hostKind,
      platform,
      capabilities: [...(capabilities ?? [])],
      ffmpeg: this.#ffmpeg,
    }
  }

  async #findFfmpeg(): Promise<void> {
    try {
      const { ffmpegPath } = this.#settings.current
      const found = (await this.#options.findFfmpeg?.(ffmpegPath)) ?? null
      // a search for an earlier setting may end after that for the one that holds
      if (ffmpegPath === this.#settings.current.ffmpegPath) this.#ffmpeg = found
    } catch (thrown) {
      this.#onFault(null, thrown)
    }
  }
}
