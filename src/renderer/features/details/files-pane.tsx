/** The files of a task as a tree of ticks: what is ticked is downloaded. At least one file stays ticked. */
import { memo, useEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import type { TaskDetails, TaskRow } from '../../../shared/view.ts'
import { useApp } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Marked } from '../../parts/marked.tsx'

type File = TaskDetails['files'][number]

/** Files from which a search is worth its room. */
const searchFrom = 12

/** The selection after a tick; null when nothing would be left, which is refused. */
export function selectionAfter(
  files: readonly File[],
  ids: ReadonlySet<string>,
  isOn: boolean,
): string[] | null {
  const selected = files.filter((file) => (ids.has(file.id) ? isOn : file.selected)).map((file) => file.id)
  return selected.length === 0 ? null : selected
}

const Leaf = memo(function Leaf(props: {
  file: File
  isOff: boolean
  onTick: (id: string, isOn: boolean) => void
}): JSX.Element {
  const words = useWords()
  const { file } = props
  return (
    <li>
      <label className={file.selected ? 'leaf' : 'leaf is-off'}>
        <input
          className="check"
          type="checkbox"
          checked={file.selected}
          disabled={props.isOff}
          onChange={(event) => props.onTick(file.id, event.target.checked)}
        />
        <bdi className="cut" title={file.name}>
          {file.name}
        </bdi>
        <span className="end">{file.size !== null && <bdi>{words.format.size(file.size)}</bdi>}</span>
        <span className="end">
          {!file.selected ? null : file.progress >= 100 ? (
            <>
              <Icon name="done" className="done" />
              <span className="hidden">{words.t('state.completed')}</span>
            </>
          ) : (
            <bdi>{words.format.percent(file.progress / 100)}</bdi>
          )}
        </span>
      </label>
    </li>
  )
})

function FileSearch(props: { count: number; value: string; onChange: (value: string) => void }): JSX.Element {
  const words = useWords()
  const name = words.t('files.search', { count: props.count })
  return (
    <span className="with-icon">
      <Icon name="search" />
      <input
        className="input"
        value={props.value}
        aria-label={name}
        placeholder={name}
        onChange={(event) => props.onChange(event.target.value)}
      />
    </span>
  )
}

/** All files at once: ticked, not, or half. */
function RootLeaf(props: {
  title: string
  files: readonly File[]
  isOff: boolean
  onTick: (ids: ReadonlySet<string>, isOn: boolean) => void
}): JSX.Element {
  const { title, files } = props
  const chosen = files.filter((file) => file.selected).length
  return (
    <label className="leaf root">
      <input
        className="check"
        type="checkbox"
        checked={chosen === files.length}
        disabled={props.isOff}
        ref={(box) => {
          // half ticked can only be said by the property
          if (box !== null) box.indeterminate = chosen > 0 && chosen < files.length
        }}
        onChange={() => props.onTick(new Set(files.map((file) => file.id)), chosen < files.length)}
      />
      <bdi className="cut" title={title}>
        {title}
      </bdi>
    </label>
  )
}

/**
 * The files with the ticks that were asked for, until the details that follow the host's answer are here: a quick
 * hand ticks the next box before that, and must not undo the one before.
 */
function useTicks(id: string, details: TaskDetails) {
  const app = useApp()
  const [asked, setAsked] = useState<{
    readonly selected: readonly string[]
    /** what was shown when the host had answered; null before that */
    readonly answeredAt: TaskDetails | null
  } | null>(null)
  const latest = useRef(details)
  useEffect(() => {
    latest.current = details
  }, [details])
  const isAhead = asked !== null && (asked.answeredAt === null || asked.answeredAt === details)
  const files = isAhead
    ? details.files.map((file) => ({ ...file, selected: asked.selected.includes(file.id) }))
    : details.files

  const ask = async (selected: string[]): Promise<void> => {
    const mine = { selected, answeredAt: null }
    setAsked(mine)
    const isTaken = await app.operations.select(id, selected)
    setAsked((present) => {
      if (present !== mine) return present
      return isTaken ? { selected, answeredAt: latest.current } : null
    })
  }
  const tick = (ids: ReadonlySet<string>, isOn: boolean): void => {
    const selected = selectionAfter(files, ids, isOn)
    if (selected === null)
      app.messages.toast({ tone: 'plain', message: { key: 'files.keepOne' }, error: null })
    else void ask(selected)
  }
  return { files, tick }
}

export function FilesPane({ row, details }: { row: TaskRow; details: TaskDetails }): JSX.Element {
  const words = useWords()
  const [search, setSearch] = useState('')
  const { files, tick } = useTicks(row.id, details)
  const shown = files.filter((file) => file.name.toLowerCase().includes(search.toLowerCase()))
  const chosen = files.filter((file) => file.selected)
  const isFixed = row.state === 'CANCELLED' || files.length === 1
  const size = chosen.reduce((sum, file) => sum + (file.size ?? 0), 0)
  if (files.length === 0) return <p className="small soft">{words.t('files.notYet')}</p>
  return (
    <>
      {files.length >= searchFrom && <FileSearch count={files.length} value={search} onChange={setSearch} />}
      <section className="block">
        <div className="head">
          <h3>
            <Marked text={words.marked('files.selected', { chosen: chosen.length, count: files.length })} />
          </h3>
          {size > 0 && (
            <span className="small soft num">
              <bdi>{words.format.size(size)}</bdi>
            </span>
          )}
        </div>
        {files.length > 1 && <RootLeaf title={row.title} files={files} isOff={isFixed} onTick={tick} />}
        <ul className="tree" aria-label={words.t('details.files')}>
          {shown.map((file) => (
            <Leaf
              key={file.id}
              file={file}
              isOff={isFixed}
              onTick={(id, isOn) => tick(new Set([id]), isOn)}
            />
          ))}
        </ul>
      </section>
      {files.length > 1 && <p className="small softer">{words.t('files.help')}</p>}
    </>
  )
}
