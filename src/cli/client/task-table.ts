/** The list as lines of text: as many columns as there is room for, the name always last. */
import type { TaskState } from '../../shared/task/model.ts'
import type { TaskRow } from '../../shared/view.ts'
import type { Look } from '../bar-line.ts'
import { fit, plainText } from '../terminal-text.ts'
import { duration, size } from '../words.ts'
import { idLengthFor } from './pick-tasks.ts'

interface Column {
  head: string
  columns: number
  align: 'left' | 'right'
  of(row: TaskRow): string
}

/** Below this width what is nice to know gives way to the name. */
const wideFrom = 80

const colors: Partial<Record<TaskState, number>> = { RUNNING: 36, PAUSED: 33, COMPLETED: 32, FAILED: 31 }

function stateColumn(look: Pick<Look, 'color'>): Column {
  return {
    ...{ head: 'STATE', columns: 9, align: 'left' },
    of: (row) => {
      const word = row.state.toLowerCase().padEnd(9)
      const color = look.color ? colors[row.state] : undefined
      return color === undefined ? word : `\u001b[${color}m${word}\u001b[0m`
    },
  }
}

const share: Column = {
  ...{ head: 'DONE', columns: 5, align: 'right' },
  // without a length there is no share
  of: (row) => (row.size === null && row.state !== 'COMPLETED' ? '' : `${Math.floor(row.progress)}%`),
}

const figures: readonly Column[] = [
  {
    ...{ head: 'SIZE', columns: 8, align: 'right' },
    of: (row) => (row.size === null ? (row.doneBytes === 0 ? '' : size(row.doneBytes)) : size(row.size)),
  },
  {
    ...{ head: 'SPEED', columns: 10, align: 'right' },
    of: (row) => (row.bytesPerSecond > 0 ? `${size(row.bytesPerSecond)}/s` : ''),
  },
  {
    ...{ head: 'LEFT', columns: 6, align: 'right' },
    of: (row) =>
      row.state === 'RUNNING' && row.remainingSeconds !== null ? duration(row.remainingSeconds) : '',
  },
]

/** `columns` null: as wide as the longest name, for programs and files. */
export function taskTable(
  rows: readonly TaskRow[],
  columns: number | null,
  look: Pick<Look, 'color'>,
): string[] {
  const idColumns = idLengthFor(rows)
  const id: Column = {
    ...{ head: 'ID', columns: idColumns, align: 'left' },
    of: (row) => row.id.slice(0, idColumns),
  }
  const isWide = columns === null || columns >= wideFrom
  const shown = [id, stateColumn(look), share, ...(isWide ? figures : [])]
  const taken = shown.reduce((sum, column) => sum + column.columns + 2, 0)
  const named = (title: string): string =>
    columns === null ? plainText(title) : fit(title, Math.max(8, columns - taken)).trimEnd()
  const line = (cells: readonly string[], name: string): string =>
    [...cells.map((cell, at) => padded(cell, shown[at])), name].join('  ').trimEnd()
  return [
    line(
      shown.map(({ head }) => head),
      'NAME',
    ),
    ...rows.map((row) =>
      line(
        shown.map((column) => column.of(row)),
        named(row.title),
      ),
    ),
  ]
}

function padded(cell: string, column: Column | undefined): string {
  const columns = column?.columns ?? 0
  return column?.align === 'right' ? cell.padStart(columns) : cell.padEnd(columns)
}
