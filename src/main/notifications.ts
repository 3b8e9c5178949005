/** System notifications for what a person should hear of while the window is not in front. */
import { Notification } from 'electron'
import type { Events } from '../shared/contract/events.ts'
import type { Texts } from './texts.ts'

type Notice = Events['notice']

export interface NotificationActions {
  showWindow: () => void
  openFile: (taskId: string) => void
  showInFolder: (taskId: string) => void
}

function titleOf(kind: Notice['kind'], texts: Texts): string {
  switch (kind) {
    case 'completed':
      return texts.completed
    case 'failed':
      return texts.failed
    case 'paused':
      return texts.paused
    case 'all-finished':
      return texts.allFinished
    case 'storage-warning':
      return texts.storageWarning
    case 'fault':
      return texts.fault
  }
}

/** A newer notification takes the place of the one before, so that a queue of small files does not flood. */
export class Notifications {
  readonly #actions: NotificationActions
  #shown: Notification | null = null

  constructor(actions: NotificationActions) {
    this.#actions = actions
  }

  show(notice: Notice, texts: Texts): void {
    if (!Notification.isSupported()) return
    this.#shown?.close()
    const { taskId } = notice
    const canOpen = notice.kind === 'completed' && taskId !== null
    const notification = new Notification({
      title: titleOf(notice.kind, texts),
      body: notice.error === null ? notice.title : `${notice.title}\n${notice.error.message}`,
      actions: canOpen
        ? [
            { type: 'button', text: texts.open },
            { type: 'button', text: texts.showInFolder },
          ]
        : [],
    })
    notification.on('click', this.#actions.showWindow)
    if (canOpen) {
      notification.on('action', ({ actionIndex }) => {
        if (actionIndex === 0) this.#actions.openFile(taskId)
        else this.#actions.showInFolder(taskId)
      })
    }
    notification.show()
    this.#shown = notification
  }
}
