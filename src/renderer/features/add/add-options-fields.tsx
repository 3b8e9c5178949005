import { useState } from 'react'
import type { JSX } from 'react'
import { useWords } from '../../i18n/words-context.tsx'
import { FolderField } from '../../parts/folder-field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import type { AddDraft } from './draft.ts'

export function AddOptionsFields(props: {
  draft: AddDraft
  isOne: boolean
  wrongLines: readonly number[]
  onChange: (patch: Partial<AddDraft>) => void
}): JSX.Element {
  const words = useWords()
  const { draft, onChange, isOne, wrongLines } = props
  const [isAdvanced, setIsAdvanced] = useState(false)
  const [first] = wrongLines
  return (
    <div className="where">
      <FolderField
        label={words.t('add.folder')}
        value={draft.folder}
        onChange={(folder) => onChange({ folder })}
      />
      <label className="field">
        <span className="label">{words.t('add.name')}</span>
        <input
          className="input"
          dir="auto"
          spellCheck={false}
          maxLength={255}
          value={draft.name}
          aria-disabled={!isOne}
          readOnly={!isOne}
          placeholder={words.t('add.namePlaceholder')}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <span className="help">{words.t(isOne ? 'add.nameHelp' : 'add.nameOnlyOne')}</span>
      </label>
      <div className="field">
        <span className="label">{words.t('add.start')}</span>
        <Segmented
          name={words.t('add.start')}
          segments={[
            { value: 'now', label: words.t('add.startNow') },
            { value: 'later', label: words.t('add.startLater') },
          ]}
          value={draft.startsLater ? 'later' : 'now'}
          onChange={(value) => onChange({ startsLater: value === 'later' })}
        />
      </div>
      <hr className="rule" />
      <button
        type="button"
        className="fold"
        aria-expanded={isAdvanced}
        onClick={() => setIsAdvanced(!isAdvanced)}
      >
        <Icon name={isAdvanced ? 'below' : 'right'} />
        {words.t('add.advanced')}
      </button>
      {isAdvanced && (
        <>
          <label className="field">
            <span className="label">{words.t('add.headers')}</span>
            <textarea
              className={first === undefined ? 'input mono' : 'input mono is-wrong'}
              rows={3}
              wrap="off"
              spellCheck={false}
              dir="ltr"
              aria-invalid={first !== undefined}
              value={draft.headers}
              onChange={(event) => onChange({ headers: event.target.value })}
            />
            {first === undefined ? (
              <span className="help">{words.t('add.headersHelp')}</span>
            ) : (
              <span className="help wrong" role="alert">
                {words.t('add.headersWrong', { line: first })}
              </span>
            )}
          </label>
          <label className="option">
            <input
              className="check"
              type="checkbox"
              checked={draft.goesFirst}
              onChange={(event) => onChange({ goesFirst: event.target.checked })}
            />
            <span>{words.t('add.goesFirst')}</span>
          </label>
        </>
      )}
    </div>
  )
}
