/** What the window tells: toasts, and announcements for screen readers. */
import type { ErrorRecord } from '../../shared/errors.ts'
import type { Message, Toast } from './app-state.ts'
import type { AppStore } from './app-store.ts'

/** At most so many toasts are shown; the oldest goes first. */
const mostToasts = 3

export interface Messages {
  announce(message: Message, error: ErrorRecord | null): void
  toast(toast: Pick<Toast, 'tone' | 'message' | 'error'> & { undo?: Toast['undo'] }): void
  /** A command that the host refused. */
  refused(error: ErrorRecord): void
  dismiss(id: number): void
}

export function createMessages(store: AppStore): Messages {
  let nextId = 1
  const messages: Messages = {
    announce: (message, error) => store.setState({ announcement: { id: nextId++, message, error } }),
    toast: ({ tone, message, error, undo = null }) => {
      const toast: Toast = { id: nextId++, tone, message, error, undo }
      store.setState((state) => ({ toasts: [...state.toasts, toast].slice(-mostToasts) }))
    },
    refused: (error) => messages.toast({ tone: 'failed', message: { key: 'toast.refused' }, error }),
    dismiss: (id) => {
      store.setState((state) => ({ toasts: state.toasts.filter((toast) => toast.id !== id) }))
    },
  }
  return messages
}
