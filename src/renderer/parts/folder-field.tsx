import { useId } from 'react'
import type { JSX } from 'react'
import { useApp, useAppState } from '../app-context.tsx'
import { useWords } from '../i18n/words-context.tsx'
import { ActionButton } from './action-button.tsx'
import { Icon } from './icon.tsx'

/** A folder on the host's disk: typed, or chosen in the system's dialog where there is one. */
export function FolderField(props: {
  label: string
  value: string
  help?: string
  onChange: (folder: string) => void
}): JSX.Element {
  const id = useId()
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {props.label}
      </label>
      <FolderInput id={id} value={props.value} onChange={props.onChange} describedBy={`${id}-help`} />
      {props.help !== undefined && (
        <span id={`${id}-help`} className="help">
          {props.help}
        </span>
      )}
    </div>
  )
}

/** The field alone. `onChange` is called on every key; `onCommit` when the user leaves the field or chooses. */
export function FolderInput(props: {
  id?: string
  name?: string
  describedBy?: string
  value: string
  onChange: (folder: string) => void
  onCommit?: (folder: string) => void
}): JSX.Element {
  const app = useApp()
  const words = useWords()
  const canPick = useAppState((state) => state.info?.capabilities.includes('desktop.pickFolder') ?? false)
  const pick = async (): Promise<void> => {
    const answer = await app.bridge.call('desktop.pickFolder', { current: props.value })
    if (!answer.ok) {
      app.messages.refused(answer.error)
      return
    }
    const { folder } = answer.value
    if (folder === null) return
    props.onChange(folder)
    props.onCommit?.(folder)
  }
  return (
    <span className="joined">
      <span className="with-icon grow">
        <Icon name="folder" />
        <input
          id={props.id}
          className="input"
          aria-label={props.name}
          aria-describedby={props.describedBy}
          dir="auto"
          spellCheck={false}
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
          onBlur={(event) => props.onCommit?.(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && props.onCommit?.(event.currentTarget.value)}
        />
      </span>
      {canPick && (
        <ActionButton className="button" onAct={() => void pick()}>
          {words.t('field.choose')}
        </ActionButton>
      )}
    </span>
  )
}
