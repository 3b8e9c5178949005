/** The control of one setting. What is typed applies when the field is left or Enter is pressed; all else at once. */
import { useState } from 'react'
import type { JSX } from 'react'
import type { Settings } from '../../../shared/settings.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { FolderInput } from '../../parts/folder-field.tsx'
import { SelectBox } from '../../parts/select-box.tsx'
import { Stepper } from '../../parts/stepper.tsx'
import { HoursControl } from './hours-control.tsx'
import { storedNumber } from './settings-table.ts'
import type { SettingEntry } from './settings-table.ts'
import { TypedField } from './typed-field.tsx'

const megabyte = 1_000_000

interface ControlProps {
  readonly entry: SettingEntry
  readonly settings: Settings
  readonly whyId: string
}

function NumberControl(props: {
  name: string
  whyId: string
  unit: string
  stored: number
  range: { min: number; max: number; scale: number }
  onChange: (value: number) => void
}): JSX.Element {
  const { stored, range } = props
  return (
    <>
      <TypedField
        name={props.name}
        whyId={props.whyId}
        stored={String(stored / range.scale)}
        className="input short"
        inputMode="decimal"
        onCommit={(text) => {
          const value = storedNumber(text, range)
          const isTaken = value !== null && value !== stored
          if (isTaken) props.onChange(value)
          return isTaken
        }}
      />
      <span className="soft">{props.unit}</span>
    </>
  )
}

function LimitControl({
  name,
  whyId,
  settings,
}: {
  name: string
  whyId: string
  settings: Settings
}): JSX.Element {
  const app = useApp()
  const words = useWords()
  const limit = useAppState((state) => state.limitWhenOn)
  return (
    <NumberControl
      name={name}
      whyId={whyId}
      unit={words.t('unit.megabytesPerSecond')}
      stored={limit}
      range={{ min: 0.01, max: 100_000, scale: megabyte }}
      onChange={(value) => {
        app.store.setState({ limitWhenOn: value })
        if (settings.speedLimitBytesPerSecond > 0) void app.setSettings({ speedLimitBytesPerSecond: value })
      }}
    />
  )
}

function FolderControl({
  name,
  whyId,
  folder,
}: {
  name: string
  whyId: string
  folder: string
}): JSX.Element {
  const app = useApp()
  const [text, setText] = useState(folder)
  return (
    <FolderInput
      name={name}
      describedBy={whyId}
      value={text}
      onChange={setText}
      onCommit={(chosen) => {
        if (chosen.trim() === '') setText(folder)
        else if (chosen !== folder) void app.setSettings({ downloadFolder: chosen.trim() })
      }}
    />
  )
}

export function SettingControl({ entry, settings, whyId }: ControlProps): JSX.Element {
  const app = useApp()
  const words = useWords()
  const name = words.t(entry.name)
  const set = (value: string | number): void => void app.setSettings({ [entry.key]: value })
  switch (entry.kind) {
    case 'folder':
      return (
        <FolderControl
          key={settings.downloadFolder}
          name={name}
          whyId={whyId}
          folder={settings.downloadFolder}
        />
      )
    case 'text':
      return (
        <TypedField
          name={name}
          whyId={whyId}
          stored={settings[entry.key]}
          className="input mono"
          onCommit={(text) => {
            set(text.trim())
            return true
          }}
        />
      )
    case 'limit':
      return <LimitControl name={name} whyId={whyId} settings={settings} />
    case 'hours':
      return (
        <HoursControl
          name={name}
          whyId={whyId}
          windows={settings[entry.key]}
          onChange={(windows) => app.setSettings({ [entry.key]: windows })}
        />
      )
    case 'stepper':
      return (
        <Stepper
          name={name}
          fewer={words.t('setting.fewer', { name })}
          more={words.t('setting.more', { name })}
          value={settings[entry.key]}
          min={entry.min}
          max={entry.max}
          text={words.format.number(settings[entry.key])}
          onChange={set}
        />
      )
    case 'number':
      return (
        <NumberControl
          name={name}
          whyId={whyId}
          unit={words.t(entry.unit)}
          stored={settings[entry.key]}
          range={entry}
          onChange={set}
        />
      )
    case 'choice':
      return (
        <SelectBox
          name={name}
          describedBy={whyId}
          value={settings[entry.key]}
          options={entry.options.map(({ value, label }) => ({ value, label: words.t(label) }))}
          onChange={set}
        />
      )
  }
}
