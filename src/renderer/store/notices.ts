/** Which notices of the host become toasts: only those that the list does not already show. All are announced. */
import type { Events } from '../../shared/contract/events.ts'
import type { Message } from './app-state.ts'

export function noticeMessage(notice: Events['notice']): { message: Message; isToast: boolean } {
  const title = notice.title
  switch (notice.kind) {
    case 'completed':
      return { message: { key: 'notice.completed', values: { title } }, isToast: false }
    case 'failed':
      return { message: { key: 'notice.failed', values: { title } }, isToast: false }
    case 'paused':
      return { message: { key: 'notice.paused', values: { title } }, isToast: false }
    case 'all-finished':
      return { message: { key: 'notice.allFinished' }, isToast: true }
    case 'storage-warning':
      return { message: { key: 'notice.storageWarning' }, isToast: true }
    case 'fault':
      return { message: { key: 'notice.fault' }, isToast: true }
  }
}
