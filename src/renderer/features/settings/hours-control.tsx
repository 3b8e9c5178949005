/** Hours of the week as a list of windows, each with a day and two times; a time applies when its field is left. */
import { useState } from 'react'
import type { JSX } from 'react'
import type { HoursWindow } from '../../../shared/week-hours.ts'
import { weekdays } from '../../../shared/week-hours.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SelectBox } from '../../parts/select-box.tsx'
import { mostWindows, withEnd, withFrom } from './hours-edits.ts'
import { TypedField } from './typed-field.tsx'

interface HoursProps {
  readonly name: string
  readonly whyId: string
  readonly windows: readonly HoursWindow[]
  /** resolves when the host has answered, whatever it said */
  readonly onChange: (windows: HoursWindow[]) => Promise<unknown>
}

export function HoursControl(props: HoursProps): JSX.Element {
  const words = useWords()
  const { name, whyId, onChange } = props
  // what was asked for last, until its answer: a next change is one of that, not of what held before
  const [asked, setAsked] = useState<HoursWindow[] | null>(null)
  const windows = asked ?? props.windows
  const ask = (changed: HoursWindow[]): void => {
    setAsked(changed)
    void onChange(changed).finally(() => setAsked((last) => (last === changed ? null : last)))
  }
  const replace = (place: number, window: HoursWindow | null): void => {
    ask(windows.flatMap((held, index) => (index === place ? (window ?? []) : held)))
  }
  return (
    <div className="hours" role="group" aria-label={name} aria-describedby={whyId}>
      {windows.map((window, place) => (
        <WindowFields
          // a window has no other name than its place
          key={place}
          window={window}
          onChange={(changed) => {
            replace(place, changed)
          }}
        />
      ))}
      <button
        type="button"
        className="button"
        disabled={windows.length >= mostWindows}
        onClick={() => {
          ask([...windows, { day: 'mon', from: '00:00', to: '24:00' }])
        }}
      >
        {words.t('hours.add')}
      </button>
    </div>
  )
}

function WindowFields(props: {
  window: HoursWindow
  onChange: (window: HoursWindow | null) => void
}): JSX.Element {
  const words = useWords()
  const { window, onChange } = props
  const take = (changed: HoursWindow | null): boolean => {
    if (changed !== null) onChange(changed)
    return changed !== null
  }
  return (
    <div className="hours-window">
      <SelectBox
        name={words.t('hours.day')}
        value={window.day}
        options={weekdays.map((day) => ({ value: day, label: words.t(`weekday.${day}`) }))}
        onChange={(day) => {
          onChange({ ...window, day })
        }}
      />
      <TypedField
        type="time"
        className="input short"
        name={words.t('hours.from')}
        stored={window.from}
        onCommit={(typed) => take(withFrom(window, typed))}
      />
      <TypedField
        type="time"
        className="input short"
        name={words.t('hours.to')}
        // a field for times ends at 23:59; midnight is the end of this day here
        stored={window.to === '24:00' ? '00:00' : window.to}
        onCommit={(typed) => take(withEnd(window, typed))}
      />
      <button
        type="button"
        className="icon-button"
        aria-label={words.t('hours.remove')}
        title={words.t('hours.remove')}
        onClick={() => {
          onChange(null)
        }}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}
