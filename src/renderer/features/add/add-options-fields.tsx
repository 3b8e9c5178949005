import type { JSX } from 'react'
import { useWords } from '../../i18n/words-context.tsx'
import { FolderField } from '../../parts/folder-field.tsx'
import { Fold } from '../../parts/fold.tsx'
import { HeadersField } from '../../parts/headers-field.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { TextField } from '../../parts/text-field.tsx'
import type { AddDraft } from './draft.ts'

export function AddOptionsFields(props: {
  draft: AddDraft
  isOne: boolean
  wrongLines: readonly number[]
  onChange: (patch: Partial<AddDraft>) => void
}): JSX.Element {
  const words = useWords()
  const { draft, onChange, isOne, wrongLines } = props
  const [first] = wrongLines
  return (
    <div className="where">
      <FolderField
        label={words.t('add.folder')}
        value={draft.folder}
        onChange={(folder) => onChange({ folder })}
      />
      <TextField
        label={words.t('add.name')}
        dir="auto"
        maxLength={255}
        // several links cannot share one name
        isReadOnly={!isOne}
        placeholder={words.t('add.namePlaceholder')}
        help={words.t(isOne ? 'add.nameHelp' : 'add.nameOnlyOne')}
        value={draft.name}
        onChange={(name) => onChange({ name })}
      />
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
      <Fold title={words.t('add.advanced')}>
        <HeadersField
          rows={3}
          value={draft.headers}
          fault={first === undefined ? null : words.t('add.headersWrong', { line: first })}
          onChange={(headers) => onChange({ headers })}
        />
        <label className="option">
          <input
            className="check"
            type="checkbox"
            checked={draft.goesFirst}
            onChange={(event) => onChange({ goesFirst: event.target.checked })}
          />
          <span>{words.t('add.goesFirst')}</span>
        </label>
      </Fold>
    </div>
  )
}
