import { useId } from 'react'
import type { JSX } from 'react'
import { defaultSettings } from '../../../shared/default-settings.ts'
import type { Settings } from '../../../shared/settings.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import type { Words } from '../../i18n/words.ts'
import { Icon } from '../../parts/icon.tsx'
import { SettingControl } from './setting-control.tsx'
import { whyOf } from './settings-table.ts'
import type { SettingEntry } from './settings-table.ts'

/** The default in words, for "Back to 3". Null where there is none to go back to: the folder, the remembered limit. */
function defaultWords(words: Words, entry: SettingEntry, defaults: Settings): string | null {
  switch (entry.kind) {
    case 'folder':
    case 'limit':
    case 'hours':
      return null
    case 'text':
      return words.t(entry.empty)
    case 'stepper':
      return words.format.number(defaults[entry.key])
    case 'number':
      return `${words.format.number(defaults[entry.key] / entry.scale)} ${words.t(entry.unit)}`
    case 'choice': {
      const option = entry.options.find(({ value }) => value === defaults[entry.key])
      return option === undefined ? null : words.t(option.label)
    }
  }
}

/** What the host found out about a setting, behind its explanation. */
function Finding({ entry }: { entry: SettingEntry }): JSX.Element | null {
  const words = useWords()
  const info = useAppState((state) => state.info)
  if (entry.key !== 'ffmpegPath' || info === null) return null
  if (info.ffmpeg === null) return <> {words.t('setting.ffmpegMissing')}</>
  return <> {words.t('setting.ffmpegFound', { path: info.ffmpeg.path, version: info.ffmpeg.version })}</>
}

export function SettingLine({ entry, settings }: { entry: SettingEntry; settings: Settings }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const whyId = useId()
  const defaults = defaultSettings(settings.downloadFolder)
  const standard = defaultWords(words, entry, defaults)
  const differs = standard !== null && settings[entry.key] !== defaults[entry.key]
  return (
    <div className="setting">
      <div>
        <div className="name">
          <span>{words.t(entry.name)}</span>
          {differs && (
            <button
              type="button"
              className="reset"
              aria-label={words.t('setting.resetOf', { value: standard, name: words.t(entry.name) })}
              onClick={() => void app.setSettings({ [entry.key]: defaults[entry.key] })}
            >
              <Icon name="undo" />
              {words.t('setting.reset', { value: standard })}
            </button>
          )}
        </div>
        <p id={whyId} className="why">
          {words.t(whyOf(entry))}
          <Finding entry={entry} />
        </p>
      </div>
      <div className="control">
        <SettingControl entry={entry} settings={settings} whyId={whyId} />
      </div>
    </div>
  )
}
