import type { JSX, KeyboardEvent, RefObject } from 'react'
import { useWords } from '../../i18n/words-context.tsx'
import type { AddDraft } from './draft.ts'

type Change = (patch: Partial<AddDraft>) => void

/** Enter in a field with one link adds it; with several links it begins the next line. */
function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  const isOneLine = !event.currentTarget.value.trim().includes('\n')
  if (event.key !== 'Enter' || event.shiftKey || !isOneLine || event.nativeEvent.isComposing) return
  if (event.currentTarget.value.trim() === '') return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}

export function LinksField({
  draft,
  onChange,
  fieldRef,
}: {
  draft: AddDraft
  onChange: Change
  fieldRef: RefObject<HTMLTextAreaElement | null>
}): JSX.Element {
  const words = useWords()
  return (
    <label className="field grow-field">
      <span className="label">{words.t('add.links')}</span>
      <textarea
        ref={fieldRef}
        className="input mono"
        rows={6}
        wrap="off"
        spellCheck={false}
        dir="ltr"
        value={draft.links}
        onChange={(event) => onChange({ links: event.target.value })}
        onKeyDown={submitOnEnter}
      />
      <span className="help">{words.t('add.linksHelp')}</span>
    </label>
  )
}

export function PairFields({ draft, onChange }: { draft: AddDraft; onChange: Change }): JSX.Element {
  const words = useWords()
  return (
    <>
      <label className="field">
        <span className="label">{words.t('add.video')}</span>
        <input
          className="input mono"
          dir="ltr"
          spellCheck={false}
          value={draft.video}
          onChange={(event) => onChange({ video: event.target.value })}
        />
      </label>
      <label className="field">
        <span className="label">{words.t('add.audio')}</span>
        <input
          className="input mono"
          dir="ltr"
          spellCheck={false}
          value={draft.audio}
          onChange={(event) => onChange({ audio: event.target.value })}
        />
      </label>
      <p className="help">{words.t('add.pairHelp')}</p>
    </>
  )
}
