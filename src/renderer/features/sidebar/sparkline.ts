/** The curve of the last minute: pure geometry, so that the drawing is two paths. */

export interface Sparkline {
  readonly curve: string
  readonly area: string
}

/**
 * Paths in a box of `width` × `height`. The newest figure is at the right end; a shorter history begins further
 * right. The highest figure reaches the top, with room for the line; no traffic lies on the bottom.
 */
export function sparkline(
  speeds: readonly number[],
  length: number,
  width: number,
  height: number,
): Sparkline {
  if (speeds.length < 2) return { curve: '', area: '' }
  const top = 2
  const bottom = height - 1
  const most = Math.max(...speeds)
  const step = width / (length - 1)
  const first = width - step * (speeds.length - 1)
  const point = (speed: number, index: number): string => {
    const y = most === 0 ? bottom : bottom - (speed / most) * (bottom - top)
    return `${(first + index * step).toFixed(1)} ${y.toFixed(1)}`
  }
  const curve = `M${speeds.map(point).join('L')}`
  return {
    curve,
    area: `${curve}L${width.toFixed(1)} ${String(height)}L${first.toFixed(1)} ${String(height)}z`,
  }
}
