/**
 * The parts of a row. Each follows its own facts of the task, so that a patch, several times a second, draws again
 * what it changed and nothing around it.
 */
import { memo } from 'react'
import type { JSX } from 'react'
import type { TaskRow } from '../../../shared/view.ts'
import { useAppState } from '../../app-context.tsx'
import { plain } from '../../i18n/figures.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Bar } from '../../parts/bar.tsx'
import { Chip } from '../../parts/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Marked } from '../../parts/marked.tsx'
import { useNow } from '../../parts/use-now.ts'
import { rowState } from '../../rows/row-state.ts'
import { statusTicks, statusWords } from '../../rows/status-words.ts'
import { typeIcon } from '../../rows/type-icon.ts'
import { rowElementId } from './row-element-id.ts'

/** A fact of a task that is in the loaded window; undefined when it has left it. */
function useFact<T>(id: string, fact: (row: TaskRow) => T): T | undefined {
  return useAppState(({ list }) => {
    const row = list.rows.get(id)
    return row === undefined ? undefined : fact(row)
  })
}

const itself = (row: TaskRow): TaskRow => row

/** Bars stand from the first byte to the end. */
export function hasBar(row: TaskRow): boolean {
  return row.state !== 'COMPLETED' && row.state !== 'CANCELLED' && (row.progress > 0 || row.doneBytes > 0)
}

export const Tile = memo(function Tile({ id }: { id: string }): JSX.Element {
  const icon = useFact(id, typeIcon) ?? 'file'
  const count = useFact(id, (row) => row.fileCount) ?? 1
  return (
    <div className="tile" role="gridcell">
      <Icon name={icon} />
      {count > 1 && <span className="badge">{count}</span>}
    </div>
  )
})

export const Title = memo(function Title({ id }: { id: string }): JSX.Element {
  const title = useFact(id, (row) => row.title) ?? ''
  return (
    <span id={`${rowElementId(id)}-title`} className="title cut" title={title}>
      {title}
    </span>
  )
})

/** Tones whose words are coloured too. */
const attentionTones: readonly string[] = ['attention', 'failed']

const Status = memo(function Status({ id }: { id: string }): JSX.Element | null {
  const words = useWords()
  const row = useFact(id, itself)
  const now = useNow(row !== undefined && statusTicks(row))
  if (row === undefined) return null
  const status = statusWords(words, row, now)
  const { tone } = rowState(row)
  return (
    <span
      id={`${rowElementId(id)}-status`}
      className={attentionTones.includes(tone) ? `status cut ${tone}` : 'status cut'}
      title={plain(status)}
    >
      <Marked text={status} />
    </span>
  )
})

export const StatusLine = memo(function StatusLine({ id }: { id: string }): JSX.Element {
  const host = useFact(id, (row) => row.host) ?? ''
  return (
    <span className="line2">
      <Status id={id} />
      {host !== '' && <span className="host">{host}</span>}
    </span>
  )
})

export const RowBar = memo(function RowBar({ id }: { id: string }): JSX.Element | null {
  const row = useFact(id, itself)
  if (row === undefined || !hasBar(row)) return null
  const pace = row.size === null || row.size === 0 ? 0 : row.bytesPerSecond / row.size
  return (
    <Bar name={row.title} progress={row.progress} tone={rowState(row).tone} pieces={row.pieces} pace={pace} />
  )
})

/** How much of it is there: a share, or so many bytes when nobody knows how many there will be. */
const Share = memo(function Share({ id }: { id: string }): JSX.Element | null {
  const words = useWords()
  const text = useFact(id, (row) => {
    if (!hasBar(row) || row.state === 'FAILED') return null
    return row.size === null && row.progress === 0
      ? words.format.size(row.doneBytes)
      : words.format.percent(row.progress / 100)
  })
  if (text === undefined || text === null) return null
  return (
    <span>
      <bdi>{text}</bdi>
    </span>
  )
})

export const Size = memo(function Size({ id }: { id: string }): JSX.Element {
  const words = useWords()
  const size = useFact(id, (row) => row.size) ?? null
  return (
    <div className={size === null ? 'size is-unknown' : 'size'} role="gridcell">
      <bdi>{size === null ? words.t('size.unknown') : words.format.size(size)}</bdi>
      <Share id={id} />
    </div>
  )
})

export const State = memo(function State({ id }: { id: string }): JSX.Element | null {
  const tone = useFact(id, (row) => rowState(row).tone)
  const icon = useFact(id, (row) => rowState(row).icon)
  const word = useFact(id, (row) => rowState(row).word)
  if (tone === undefined || icon === undefined || word === undefined) return null
  return (
    <div className="state" role="gridcell">
      <Chip state={{ tone, icon, word }} />
    </div>
  )
})
