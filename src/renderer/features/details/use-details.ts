/**
 * The details of one task, read again when its row has changed, at most once a second: a task that rests costs
 * nothing. What was shown stays until the next answer.
 */
import { useEffect, useState } from 'react'
import type { ErrorRecord } from '../../../shared/errors.ts'
import type { TaskDetails, TaskRow } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import type { App } from '../../store/app.ts'

const pauseMs = 1000

export interface Details {
  readonly details: TaskDetails | null
  readonly error: ErrorRecord | null
}

/** Follows one task until it is ended: reads now, then after each change of its row. */
function follow(app: App, id: string, show: (details: Details) => void): () => void {
  let hasEnded = false
  let isReading = false
  let seen: TaskRow | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const read = async (): Promise<void> => {
    isReading = true
    seen = app.store.getState().list.rows.get(id)
    const answer = await app.bridge.call('tasks.details', { id })
    if (hasEnded) return
    show(answer.ok ? { details: answer.value, error: null } : { details: null, error: answer.error })
    timer = setTimeout(() => {
      isReading = false
      readWhenChanged()
    }, pauseMs)
  }
  const readWhenChanged = (): void => {
    const { connection, list } = app.store.getState()
    if (!isReading && connection.kind === 'open' && list.rows.get(id) !== seen) void read()
  }
  const unsubscribe = app.store.subscribe(readWhenChanged)
  void read()
  return () => {
    hasEnded = true
    clearTimeout(timer)
    unsubscribe()
  }
}

export function useDetails(id: string): Details {
  const app = useApp()
  const [shown, setShown] = useState<{ id: string } & Details>({ id, details: null, error: null })
  useEffect(() => follow(app, id, (details) => setShown({ id, ...details })), [app, id])
  return shown.id === id ? shown : { details: null, error: null }
}

/** The task that the panel is about: the row that the keyboard is on when it is selected, else a selected one. */
export function useDetailedId(): string | null {
  return useAppState(({ cursor, list }) => {
    const { active, selection } = cursor
    if (selection.kind === 'all') return active ?? list.ids[0] ?? null
    if (active !== null && selection.ids.has(active)) return active
    const [first] = selection.ids
    return first ?? null
  })
}
