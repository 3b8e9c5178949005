/** Changes a task: a fresh link for an expired one, name, folder, headers, limits. The host checks the link first. */
import { useEffect, useRef, useState } from 'react'
import type { JSX, SyntheticEvent } from 'react'
import type { ErrorRecord } from '../../../shared/errors.ts'
import type { TaskDetails, TaskRow } from '../../../shared/view.ts'
import { useApp } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { DialogLayer } from '../../parts/layer.tsx'
import { Marked } from '../../parts/marked.tsx'
import { errorHelp, errorSentence } from '../../rows/error-words.ts'
import { draftOf, editOf, faultsOf } from './edit-draft.ts'
import type { EditDraft } from './edit-draft.ts'
import { EditFields } from './edit-fields.tsx'

/** Reads the task once: what is typed must not be replaced by news. */
function useTask(id: string): { details: TaskDetails | null; error: ErrorRecord | null } {
  const app = useApp()
  const [read, setRead] = useState<{ details: TaskDetails | null; error: ErrorRecord | null }>({
    details: null,
    error: null,
  })
  useEffect(() => {
    let isCurrent = true
    void app.bridge.call('tasks.details', { id }).then((answer) => {
      if (!isCurrent) return
      setRead(answer.ok ? { details: answer.value, error: null } : { details: null, error: answer.error })
    })
    return () => {
      isCurrent = false
    }
  }, [app, id])
  return read
}

export function EditDialog({ id, focus }: { id: string; focus: 'link' | 'all' }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const { details, error } = useTask(id)
  return (
    <DialogLayer
      className="edit"
      title={words.t(focus === 'link' ? 'edit.titleLink' : 'edit.title')}
      {...(details === null ? {} : { note: details.row.title })}
      onClose={() => app.closeLayer()}
    >
      {error !== null && <Refusal error={error} />}
      {details !== null && <EditForm details={details} focus={focus} />}
    </DialogLayer>
  )
}

function Refusal({ error }: { error: ErrorRecord }): JSX.Element {
  const words = useWords()
  return (
    <div className="note failed" role="alert">
      <Icon name="alert" />
      <h3>
        <Marked text={errorSentence(words, error)} />
      </h3>
      <p>
        <Marked text={errorHelp(words, error)} />
      </p>
    </div>
  )
}

function Intro({ row }: { row: TaskRow }): JSX.Element | null {
  const words = useWords()
  if (row.pause?.kind !== 'source') return null
  return (
    <p className="soft">
      <Marked text={words.marked('edit.expired', { size: words.format.size(row.doneBytes) })} />
    </p>
  )
}

function EditForm({ details, focus }: { details: TaskDetails; focus: 'link' | 'all' }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const { row } = details
  const [before] = useState(() => draftOf(details))
  const [draft, setDraft] = useState<EditDraft>(before)
  const [refused, setRefused] = useState<ErrorRecord | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const link = useRef<HTMLInputElement>(null)
  useEffect(() => {
    link.current?.focus()
    link.current?.select()
  }, [])

  const rests = row.state === 'PAUSED' || row.state === 'FAILED'
  const faults = faultsOf(draft, before)
  const isReady = faults.length === 0 && !isSaving
  const save = async (starts: boolean): Promise<void> => {
    if (!isReady) return
    setIsSaving(true)
    const answer = await app.operations.edit(editOf(row.id, draft, before, starts))
    setIsSaving(false)
    const result = answer.ok ? answer.value.results[0] : null
    if (!answer.ok) setRefused(answer.error)
    else if (result?.kind === 'refused') setRefused(result.error)
    else {
      app.closeLayer()
      // an edit leaves a pause of the user's as it is; the button that was pressed says more
      if (starts && row.pause?.kind === 'user') await app.operations.run('tasks.restart', [{ ids: [row.id] }])
    }
  }
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    void save(true)
  }
  return (
    <form className="form" onSubmit={submit}>
      <div className="body">
        <Intro row={row} />
        {refused !== null && <Refusal error={refused} />}
        <EditFields
          row={row}
          draft={draft}
          faults={faults}
          isLinkChanged={draft.link !== before.link}
          isUnfolded={focus === 'all'}
          linkField={link}
          onChange={(patch) => setDraft((present) => ({ ...present, ...patch }))}
        />
      </div>
      <footer>
        <span className="grow">{rests ? words.t('edit.resumesAtTail') : ''}</span>
        <button type="button" className="button" onClick={() => app.closeLayer()}>
          {words.t('layer.cancel')}
        </button>
        {rests && (
          <button type="button" className="button" aria-disabled={!isReady} onClick={() => void save(false)}>
            {words.t('layer.save')}
          </button>
        )}
        <button type="submit" className="button primary" aria-disabled={!isReady}>
          {words.t(rests ? 'edit.saveAndResume' : 'layer.save')}
        </button>
      </footer>
    </form>
  )
}
