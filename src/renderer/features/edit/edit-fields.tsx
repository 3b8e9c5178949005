import { useId } from 'react'
import type { JSX, RefObject } from 'react'
import type { TaskRow } from '../../../shared/view.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { FolderField } from '../../parts/folder-field.tsx'
import { Fold } from '../../parts/fold.tsx'
import { HeadersField } from '../../parts/headers-field.tsx'
import { SelectBox } from '../../parts/select-box.tsx'
import { TextField } from '../../parts/text-field.tsx'
import type { EditDraft, EditFault } from './edit-draft.ts'

interface FieldsProps {
  readonly row: TaskRow
  readonly draft: EditDraft
  readonly faults: readonly EditFault[]
  readonly isLinkChanged: boolean
  readonly isUnfolded: boolean
  readonly linkField: RefObject<HTMLInputElement | null>
  readonly onChange: (patch: Partial<EditDraft>) => void
}

export function EditFields(props: FieldsProps): JSX.Element {
  const words = useWords()
  const { draft, row, onChange, linkField } = props
  const isLinkWrong = props.faults.includes('link')
  return (
    <>
      {draft.link === null ? (
        <p className="soft">{words.t('edit.pair')}</p>
      ) : (
        <TextField
          ref={linkField}
          label={words.t('edit.link')}
          dir="ltr"
          isMono
          {...(isLinkWrong ? { fault: words.t('edit.linkWrong') } : {})}
          value={draft.link}
          onChange={(link) => onChange({ link })}
        />
      )}
      {row.doneBytes > 0 && row.state !== 'COMPLETED' && <KeepData {...props} />}
      <hr className="rule" />
      <Fold title={words.t('edit.more')} isUnfolded={props.isUnfolded}>
        <MoreFields {...props} />
      </Fold>
    </>
  )
}

/** Whether what arrived is kept. With a changed link the host decides whether that is possible. */
function KeepData({ row, draft, isLinkChanged, onChange }: FieldsProps): JSX.Element {
  const words = useWords()
  const group = useId()
  return (
    <fieldset className="choice">
      <legend className="label">{words.t('edit.haveSoFar')}</legend>
      <label className="option">
        <input
          className="radio"
          type="radio"
          name={group}
          checked={draft.keepsData}
          onChange={() => onChange({ keepsData: true })}
        />
        <span>{words.t('edit.keep', { share: words.format.percent(row.progress / 100) })}</span>
      </label>
      <label className="option">
        <input
          className="radio"
          type="radio"
          name={group}
          checked={!draft.keepsData}
          onChange={() => onChange({ keepsData: false })}
        />
        <span>{words.t('edit.deleteData')}</span>
      </label>
      {isLinkChanged && draft.keepsData && <p className="help">{words.t('edit.keepHelp')}</p>}
    </fieldset>
  )
}

const connectionChoices = ['', '1', '2', '4', '8', '16'] as const

function MoreFields({ row, draft, faults, onChange }: FieldsProps): JSX.Element {
  const words = useWords()
  const headerFault = faults.includes('headers')
    ? 'edit.headersWrong'
    : faults.includes('masked-headers')
      ? 'edit.headersMasked'
      : null
  const isLimitWrong = faults.includes('limit')
  return (
    <>
      {row.fileCount === 1 && (
        <TextField
          label={words.t('add.name')}
          dir="auto"
          maxLength={255}
          value={draft.name}
          onChange={(name) => onChange({ name })}
        />
      )}
      <FolderField
        label={words.t('add.folder')}
        value={draft.folder}
        onChange={(folder) => onChange({ folder })}
      />
      <HeadersField
        rows={2}
        value={draft.headers}
        fault={headerFault === null ? null : words.t(headerFault)}
        onChange={(headers) => onChange({ headers })}
      />
      <div className="two">
        <label className="field">
          <span className="label">{words.t('edit.connections')}</span>
          <SelectBox
            value={draft.connections === null ? '' : String(draft.connections)}
            options={connectionChoices.map((value) => ({
              value,
              label: value === '' ? words.t('edit.automatic') : words.format.number(Number(value)),
            }))}
            onChange={(value) => onChange({ connections: value === '' ? null : Number(value) })}
          />
        </label>
        <TextField
          label={words.t('edit.limit')}
          inputMode="decimal"
          isWrong={isLimitWrong}
          placeholder={words.t('facts.none')}
          value={draft.limit}
          onChange={(limit) => onChange({ limit })}
        />
      </div>
    </>
  )
}
