import { useCallback, useEffect, useId } from 'react'
import type { JSX, KeyboardEvent, RefObject } from 'react'
import { maxPatternLinks } from '../../../shared/link-patterns.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { heldFrom, mostLinks } from './draft.ts'
import type { AddDraft, TypedLinks } from './draft.ts'

type Change = (patch: Partial<AddDraft>) => void

/** Enter in a field with one link adds it; with several links it begins the next line. */
function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  const isOneLine = !event.currentTarget.value.trim().includes('\n')
  if (event.key !== 'Enter' || event.shiftKey || !isOneLine || event.nativeEvent.isComposing) return
  if (event.currentTarget.value.trim() === '') return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}

/** So many ranges are told one by one; the count at the foot has them all. */
const mostPatterns = 3

/** What the ranges in brackets stand for, or what is wrong with them; else how links are written. */
function LinksHelp({ typed }: { typed: TypedLinks }): JSX.Element {
  const words = useWords()
  if (typed.fault !== null) {
    return (
      <span className="help wrong" role="alert">
        {typed.fault === 'pattern'
          ? words.t('add.patternWrong', { most: maxPatternLinks })
          : words.t('add.tooManyLinks', { most: mostLinks })}
      </span>
    )
  }
  if (typed.patterns.length === 0) return <span className="help">{words.t('add.linksHelp')}</span>
  return (
    <span className="help patterns">
      {typed.patterns.slice(0, mostPatterns).map(({ text, count, first, last }) => (
        <span key={text}>
          {words.t('add.pattern', { count })}
          <bdi className="mono cut" dir="ltr" title={`${first}\n${last}`}>
            {first}
          </bdi>
          {count > 1 && (
            <bdi className="mono cut" dir="ltr" title={last}>
              {last}
            </bdi>
          )}
        </span>
      ))}
    </span>
  )
}

/**
 * Takes what is pasted, dropped or inserted in great number before the field does: ten thousand lines are laid out
 * again after every key, and some ways to insert them are quadratic in Chromium.
 */
function useHolding(
  fieldRef: RefObject<HTMLTextAreaElement | null>,
  hold: (links: readonly string[]) => void,
) {
  useEffect(() => {
    const field = fieldRef.current
    const beforeInput = (event: InputEvent): void => {
      const held = heldFrom(event.data ?? event.dataTransfer?.getData('text/plain') ?? '')
      if (held === null) return
      event.preventDefault()
      hold(held)
    }
    field?.addEventListener('beforeinput', beforeInput)
    return () => field?.removeEventListener('beforeinput', beforeInput)
  }, [fieldRef, hold])
}

/** The links beside the field: how many, from which to which, and a way to be rid of them. */
function HeldLinks({ held, onDrop }: { held: readonly string[]; onDrop: () => void }): JSX.Element | null {
  const words = useWords()
  const [first] = held
  if (first === undefined) return null
  const last = held.at(-1) ?? first
  return (
    <div className="held">
      <Icon name="all" />
      <strong>{words.t('add.held', { count: held.length })}</strong>
      <button type="button" className="button small" onClick={onDrop}>
        {words.t('add.dropHeld')}
      </button>
      <bdi className="mono cut" dir="ltr" title={first}>
        {first}
      </bdi>
      <bdi className="mono cut" dir="ltr" title={last}>
        {last}
      </bdi>
    </div>
  )
}

export function LinksField({
  draft,
  typed,
  onChange,
  fieldRef,
}: {
  draft: AddDraft
  typed: TypedLinks
  onChange: Change
  fieldRef: RefObject<HTMLTextAreaElement | null>
}): JSX.Element {
  const words = useWords()
  const id = useId()
  const { held } = draft
  const hold = useCallback(
    (links: readonly string[]) => onChange({ held: [...held, ...links] }),
    [held, onChange],
  )
  useHolding(fieldRef, hold)
  return (
    <div className="field grow-field">
      <label className="label" htmlFor={id}>
        {words.t('add.links')}
      </label>
      <textarea
        ref={fieldRef}
        id={id}
        aria-describedby={`${id}-help`}
        className={typed.fault === null ? 'input mono' : 'input mono is-wrong'}
        aria-invalid={typed.fault !== null}
        rows={6}
        wrap="off"
        spellCheck={false}
        dir="ltr"
        value={draft.links}
        onChange={(event) => onChange({ links: event.target.value })}
        onKeyDown={submitOnEnter}
      />
      <div id={`${id}-help`}>
        <LinksHelp typed={typed} />
      </div>
      <HeldLinks held={held} onDrop={() => onChange({ held: [] })} />
    </div>
  )
}

export function PairFields({ draft, onChange }: { draft: AddDraft; onChange: Change }): JSX.Element {
  const words = useWords()
  return (
    <>
      <TextField
        label={words.t('add.video')}
        dir="ltr"
        isMono
        value={draft.video}
        onChange={(video) => onChange({ video })}
      />
      <TextField
        label={words.t('add.audio')}
        dir="ltr"
        isMono
        value={draft.audio}
        onChange={(audio) => onChange({ audio })}
      />
      <p className="help">{words.t('add.pairHelp')}</p>
    </>
  )
}
