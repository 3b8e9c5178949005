/**
 * What the desktop host remembers between starts, in a small file of its own: where the window was, and what
 * closing it means while downloads run. A file that cannot be read counts as none.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeFolderSync } from '../adapters/make-folder.ts'
import { z } from '../shared/validator.ts'

const boundsSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
})
export type Bounds = z.infer<typeof boundsSchema>

const windowStateSchema = z.object({
  /** of the window when it is not maximised; null before it was ever shown */
  bounds: boundsSchema.nullable(),
  maximized: z.boolean(),
  /** when downloads run: keep them going without the window, quit, or ask */
  whenClosed: z.enum(['ask', 'hide', 'quit']),
})
export type WindowState = z.infer<typeof windowStateSchema>

export const minimumSize = { width: 480, height: 360 }
export const initialSize = { width: 1080, height: 720 }
const freshState: WindowState = { bounds: null, maximized: false, whenClosed: 'ask' }

/** How much of the window's top edge has to lie on a screen, in pixels, so that it can be seen and dragged. */
const reachable = { width: 120, height: 32 }

/**
 * Where to put the window: as remembered when it can be reached on one of the screens' work areas (the screens
 * may have changed meanwhile), shrunk to that screen; else only a size, and the system chooses the place.
 */
export function placeOnScreen(
  remembered: Bounds | null,
  workAreas: readonly Bounds[],
): { width: number; height: number; x?: number; y?: number } {
  if (remembered === null) return initialSize
  const area = workAreas.find((each) => canReach(remembered, each))
  const largest = area ?? workAreas[0]
  const width = clamp(remembered.width, minimumSize.width, largest?.width)
  const height = clamp(remembered.height, minimumSize.height, largest?.height)
  return area === undefined ? { width, height } : { width, height, x: remembered.x, y: remembered.y }
}

function canReach(bounds: Bounds, area: Bounds): boolean {
  const left = Math.max(bounds.x, area.x)
  const right = Math.min(bounds.x + bounds.width, area.x + area.width)
  const isTopEdgeInside = bounds.y >= area.y && bounds.y + reachable.height <= area.y + area.height
  return isTopEdgeInside && right - left >= reachable.width
}

function clamp(value: number, minimum: number, maximum = value): number {
  return Math.max(minimum, Math.min(value, maximum))
}

/** Keeps the state in `window-state.json` of the data folder. */
export class WindowStateFile {
  readonly #file: string
  #state: WindowState

  constructor(dataFolder: string) {
    this.#file = path.join(dataFolder, 'window-state.json')
    this.#state = readState(this.#file)
  }

  get state(): WindowState {
    return this.#state
  }

  /** Remembers a change at once; the old file stays whole until the new one is. */
  update(change: Partial<WindowState>): void {
    this.#state = { ...this.#state, ...change }
    makeFolderSync(path.dirname(this.#file))
    const fresh = `${this.#file}.new`
    writeFileSync(fresh, JSON.stringify(this.#state))
    renameSync(fresh, this.#file)
  }
}

function readState(file: string): WindowState {
  try {
    return windowStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // none yet, or written by a hand or a version that we do not follow
    return freshState
  }
}
