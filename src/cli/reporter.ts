import type { TaskRow } from '../shared/view.ts'

/** A terminal or a stream, as far as reporters need one. */
export interface Screen {
  write(text: string): unknown
  columns?: number | undefined
  rows?: number | undefined
}

export interface Reporter {
  /** Called whenever something about a task changed. */
  changed(row: TaskRow): void
  /** Leaves the screen as it should stay; idempotent. */
  end(): void
}
