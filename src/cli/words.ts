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
  return `${index === 0 ? String(value) : value.toFixed(1)} ${steps[index] ?? 'TB'}`
}

/** `42s`, `3m20s`, `2h05m`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`
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

/** What happens to a task now, state first. */
export function happening(row: TaskRow): string {
  switch (row.state) {
    case 'RUNNING': {
      const names = [...new Set(row.active.map((step) => kinds[step.kind] ?? step.kind))]
      return names.length === 0 ? 'starting' : names.join(', ')
    }
    case 'WAITING':
      return 'waiting'
    case 'PAUSED':
      return `paused: ${reason(row)}`
    case 'COMPLETED':
      return 'complete'
    case 'FAILED':
      return `failed: ${reason(row)}`
    case 'CANCELLED':
      return 'cancelled'
  }
}

function reason(row: TaskRow): string {
  if (row.pause !== null && 'error' in row.pause) return row.pause.error.message
  return row.error?.message ?? 'by you'
}
