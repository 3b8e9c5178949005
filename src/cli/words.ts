/** How the command line puts figures and states into words. Plain English, fixed widths, nothing localised. */
import type { TaskRow } from '../shared/view.ts'

const steps = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `12.4 MB`, by thousands as drives and lines are sold. */
export function size(bytes: number): string {
  let value = bytes
  let index = 0
  while (value >= 999.95 && index < steps.length - 1) {
    value /= 1000
    index++
  }
  return `${value.toFixed(index === 0 ? 0 : 1)} ${steps[index] ?? 'TB'}`
}

/** `42s`, `3m20s`, `2h05m`, `4d03h`: six characters at most. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`
  const hours = Math.floor(whole / 3600)
  if (hours < 100) return `${hours}h${two(Math.floor((whole % 3600) / 60))}m`
  return hours < 2400 ? `${Math.floor(hours / 24)}d${two(hours % 24)}h` : ''
}

const kinds: Readonly<Record<string, string>> = {
  resolve: 'looking at the link',
  download: 'downloading',
  'download-video': 'downloading video',
  'download-audio': 'downloading audio',
  'download-subtitle': 'downloading subtitles',
  mux: 'joining video and audio',
  convert: 'converting',
}

/** A rest that ends by itself: the host named a time to come back. */
export function comesBack(row: TaskRow): boolean {
  return row.state === 'PAUSED' && row.pause?.kind === 'network' && row.pause.resumeTo === 'head'
}

/** What happens to a task now; why it does not go on is told with its next step on standard error. */
export function happening(row: TaskRow): string {
  switch (row.state) {
    case 'RUNNING': {
      const names = [...new Set(row.active.map((step) => kinds[step.kind] ?? step.kind))]
      return names.length === 0 ? 'starting' : names.join(', ')
    }
    case 'WAITING':
      return 'waiting'
    case 'PAUSED':
      return comesBack(row) ? 'waiting for the host' : 'stopped'
    case 'COMPLETED':
      return 'complete'
    case 'FAILED':
      return 'failed'
    case 'CANCELLED':
      return 'cancelled'
  }
}
