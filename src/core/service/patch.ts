/** The fields of a row that differ from what a client was last sent. */
import type { TaskRow } from '../../shared/view.ts'

export type RowPatch = Partial<TaskRow> & { id: string }

function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

/** Null when nothing differs. */
export function patchOf(sent: TaskRow, row: TaskRow): RowPatch | null {
  const changed = Object.entries(row).filter(([key, value]) => !same(sent[key as keyof TaskRow], value))
  return changed.length === 0 ? null : { id: row.id, ...Object.fromEntries(changed) }
}
