/**
 * The map of a file: its length cut into equal cells, each in one state. Pure geometry, drawn as one path per state.
 */
import type { TaskDetails } from '../../../shared/view.ts'

export type CellState = 'here' | 'held' | 'arriving' | 'come'

type Step = Pick<TaskDetails['steps'][number], 'size' | 'durable' | 'ranges'>

/** Bytes of [from, to) that lie in [start, end). */
const overlap = (start: number, end: number, from: number, to: number): number =>
  Math.max(0, Math.min(end, to) - Math.max(start, from))

/**
 * States of `count` cells. A cell is `here` when all of it is durable, `arriving` when a connection is at it, `held`
 * when it has come but is not yet durable, else to come. Null while the length is not known.
 */
export function cellStates(step: Step, count: number): CellState[] | null {
  const { size, durable, ranges } = step
  if (size === null || size === 0) return null
  const cell = size / count
  return Array.from({ length: count }, (_, index) => {
    const start = index * cell
    const end = start + cell
    const onDisk = durable.reduce((sum, [from, to]) => sum + overlap(start, end, from, to), 0)
    // half a byte: cells do not end on whole bytes
    if (onDisk >= cell - 0.5) return 'here'
    const isAtFront = ranges.some(
      ({ next, end: last }) => next >= start && next < end && (last ?? size) > next,
    )
    if (isAtFront) return 'arriving'
    const arrived = ranges.reduce(
      (sum, { start: from, next }) => sum + overlap(start, end, from, next),
      onDisk,
    )
    return arrived >= cell - 0.5 ? 'held' : 'come'
  })
}

export interface MapLayout {
  readonly columns: number
  readonly cells: number
}

/** A map as wide as the panel; fewer cells than bytes, so that no cell is empty. */
export function mapLayout(size: number): MapLayout {
  const columns = 33
  const rows = 12
  return { columns, cells: Math.max(1, Math.min(columns * rows, size)) }
}

const cellSize = 8
const pitch = 10

/** The view box that holds the cells of a layout. */
export function mapBox({ columns, cells }: MapLayout): { width: number; height: number } {
  return { width: columns * pitch - 2, height: Math.ceil(cells / columns) * pitch - 2 }
}

/** The path of all cells in a state. Cells that arrive are outlined: they are drawn smaller by their stroke. */
export function mapPath(states: readonly CellState[], state: CellState, columns: number): string {
  const inset = state === 'arriving' ? 0.75 : 0
  const side = cellSize - 2 * inset
  return states
    .map((each, index) => {
      if (each !== state) return ''
      const x = (index % columns) * pitch + inset
      const y = Math.floor(index / columns) * pitch + inset
      return `M${String(x)} ${String(y)}h${String(side)}v${String(side)}h-${String(side)}z`
    })
    .join('')
}
