/**
 * What the desktop shows of the service while nobody looks at the window: tray, badge, taskbar progress,
 * notifications, and that the computer stays awake. One more client of the service, like the window itself.
 */
import { nativeTheme, powerSaveBlocker } from 'electron'
import type { App } from 'electron'
import type { Client, TaskService } from '../core/service.ts'
import type { Events } from '../shared/contract/events.ts'
import type { EventName } from '../shared/contract/names.ts'
import { toErrorRecord } from '../shared/errors.ts'
import { settingsSchema } from '../shared/settings.ts'
import type { Settings } from '../shared/settings.ts'
import type { ListFilter } from '../shared/view.ts'
import { KeepAwake } from './keep-awake.ts'
import type { MainWindow } from './main-window.ts'
import { Notifications } from './notifications.ts'
import type { NotificationActions } from './notifications.ts'
import { textsFor } from './texts.ts'
import type { Texts } from './texts.ts'
import { TrayIcon } from './tray.ts'

export interface PresenceOptions extends Omit<NotificationActions, 'showWindow'> {
  app: Pick<App, 'getLocale' | 'setBadgeCount' | 'quit'>
  service: Pick<TaskService, 'connect'>
  window: MainWindow
  trayIcon: string
}

export class Presence {
  readonly #options: PresenceOptions
  readonly #client: Client
  readonly #keepAwake = new KeepAwake(powerSaveBlocker)
  readonly #notifications: Notifications
  readonly #tray: TrayIcon
  #texts: Texts
  #running = 0

  constructor(options: PresenceOptions) {
    this.#options = options
    this.#texts = textsFor('system', options.app.getLocale())
    const showWindow = (): void => {
      options.window.show()
    }
    const { openFile, showInFolder } = options
    this.#notifications = new Notifications({ openFile, showInFolder, showWindow })
    this.#tray = new TrayIcon(options.trayIcon, this.#texts, {
      show: showWindow,
      pauseAll: () => {
        this.#pauseAll()
      },
      resumeAll: () => {
        this.#command('tasks.restart', 'paused')
      },
      quit: () => {
        options.app.quit()
      },
    })
    this.#client = options.service.connect((name, event) => {
      this.#hear(name, event)
    })
  }

  get client(): Client {
    return this.#client
  }
  get texts(): Texts {
    return this.#texts
  }
  /** whether anything is downloading */
  get isBusy(): boolean {
    return this.#running > 0
  }

  /** Takes over the language and the theme that are set. */
  async begin(): Promise<void> {
    const answer = await this.#client.call('settings.get', {})
    if (answer.ok) this.#useSettings(settingsSchema.parse(answer.value))
  }

  /** Something that was asked for cannot be had, and there is no download to tell it at. */
  tellProblem(error: unknown): void {
    const record = toErrorRecord(error)
    this.#notifications.show({ kind: 'fault', taskId: null, title: record.hint, error: record }, this.#texts)
  }

  #hear<N extends EventName>(name: N, event: Events[N]): void {
    // `name` and `event` belong together by the type of SendEvent; the compiler loses that in a switch
    if (name === 'stats') this.#useStats(event as Events['stats'])
    if (name === 'settings.changed') this.#useSettings(event as Events['settings.changed'])
    if (name === 'notice' && !this.#options.window.isInFront()) {
      this.#notifications.show(event as Events['notice'], this.#texts)
    }
  }

  #useStats(stats: Events['stats']): void {
    if (stats.running !== this.#running) {
      this.#running = stats.running
      this.#keepAwake.while(stats.running > 0)
      this.#options.app.setBadgeCount(stats.running)
      // 2: under way, without a known end
      this.#options.window.setProgress(stats.running > 0 ? 2 : null)
    }
    this.#tray.update(stats)
  }

  #useSettings(settings: Settings): void {
    nativeTheme.themeSource = settings.theme
    this.#texts = textsFor(settings.language, this.#options.app.getLocale())
    this.#tray.useTexts(this.#texts)
  }

  /** The waiting ones first, so that none takes the place of one that stops. */
  #pauseAll(): void {
    this.#command('tasks.pause', 'waiting')
    this.#command('tasks.pause', 'running')
  }

  #command(command: 'tasks.pause' | 'tasks.restart', filter: ListFilter): void {
    // what an operation does not fit answers so for its own task; there is nobody here to tell
    void this.#client.call(command, { query: { filter, search: '' } })
  }
}
