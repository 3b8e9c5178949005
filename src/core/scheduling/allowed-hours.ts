/**
 * The hours of the week in which downloads run without restraint. Outside them what runs pauses and nothing starts,
 * or everything shares a slow limit. Looked at when they change and once a minute, since the wall clock may be set.
 */
import type { ErrorRecord } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings.ts'
import { taskState } from '../../shared/task/derive.ts'
import { isWithinHours, minutesUntilChange } from '../../shared/week-hours.ts'
import type { Clock } from '../ports.ts'
import type { Run } from '../runner/run.ts'
import type { Runs } from '../runner/runs.ts'
import type { TaskMemory } from '../service/task-memory.ts'

const minuteMs = 60_000

/** Made once: ten thousand waiting tasks are told the same. */
const outsideHours = new SluiceError('CONFLICT', 'Outside the allowed hours', {
  hint: 'It starts by itself when they begin, or change the schedule in the settings.',
  details: { outsideHours: true },
}).toRecord()

export interface AllowedHoursParts {
  readonly clock: Clock
  readonly runs: Runs
  readonly memory: TaskMemory
  settings(): Settings
  /** asks a running task to pause; `resumeAt`: when the hours begin, null when they never do */
  pause(taskId: string, resumeAt: number | null): Promise<void>
  /** what was paused for the hours returns to the head */
  resume(): Promise<void>
  /** what may run, or how fast, has changed */
  onChange(): void
}

export class AllowedHours {
  readonly #parts: AllowedHoursParts
  readonly #pausing = new Set<string>()
  #restraint: Settings['scheduleMode'] = 'off'
  #cancel: (() => void) | null = null
  #open = false

  constructor(parts: AllowedHoursParts) {
    this.#parts = parts
  }

  start(): void {
    this.#open = true
    this.look()
  }

  close(): void {
    this.#open = false
    this.#cancel?.()
    this.#cancel = null
  }

  /** Why nothing may start now, null when it may. */
  block(): ErrorRecord | null {
    return this.#restraint === 'pause' ? outsideHours : null
  }

  /** Bytes per second over all tasks now; 0 is no limit. */
  speedLimit(): number {
    const { speedLimitBytesPerSecond: usual, slowSpeedLimitBytesPerSecond: slow } = this.#parts.settings()
    if (this.#restraint !== 'slow') return usual
    return usual === 0 ? slow : Math.min(usual, slow)
  }

  /** The settings or the time have changed. */
  look(): void {
    if (!this.#open) return
    const { clock } = this.#parts
    const { scheduleMode, scheduleWindows } = this.#parts.settings()
    const minute = clock.minuteOfWeek()
    const before = this.#restraint
    this.#restraint = isWithinHours(scheduleWindows, minute) ? 'off' : scheduleMode
    this.#cancel?.()
    const wait = scheduleMode === 'off' ? null : minutesUntilChange(scheduleWindows, minute)
    this.#cancel = wait === null ? null : clock.after(minuteMs, () => this.look())
    if (this.#restraint === 'pause') this.enforce()
    else void this.#parts.resume()
    if (before !== this.#restraint) this.#parts.onChange()
  }

  /** Outside the hours: asks what runs to pause; a mux, as with any pause, runs to its end first. */
  enforce(): void {
    if (this.#restraint !== 'pause') return
    const resumeAt = this.#begin()
    for (const run of this.#parts.runs.all()) {
      if (run.phase === 'starting') run.abandoned = true
      else if (this.#mayAsk(run)) {
        this.#pausing.add(run.taskId)
        void this.#parts.pause(run.taskId, resumeAt).finally(() => this.#pausing.delete(run.taskId))
      }
    }
  }

  #mayAsk(run: Run): boolean {
    const task = this.#parts.memory.live(run.taskId)
    return (
      task !== undefined &&
      task.request === null &&
      taskState(task) === 'RUNNING' &&
      !this.#pausing.has(run.taskId)
    )
  }

  #begin(): number | null {
    const { clock } = this.#parts
    const wait = minutesUntilChange(this.#parts.settings().scheduleWindows, clock.minuteOfWeek())
    if (wait === null) return null
    // to the full minute at which they begin
    return Math.floor(clock.now() / minuteMs) * minuteMs + wait * minuteMs
  }
}
