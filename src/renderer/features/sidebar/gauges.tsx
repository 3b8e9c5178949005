/** Total speed, tasks at once, speed limit. They stand in the sidebar, and in the strip of a narrow window. */
import type { JSX } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { speed } from '../../i18n/format.ts'
import { plain } from '../../i18n/figures.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Cut } from '../../parts/cut.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Stepper } from '../../parts/stepper.tsx'
import { Switch } from '../../parts/switch.tsx'
import { speedHistoryLength } from '../../store/app-state.ts'
import { sparkline } from './sparkline.ts'

/** Bounds of the setting (shared/settings). */
const mostAtOnce = 20

export function TotalSpeed(): JSX.Element {
  const words = useWords()
  const total = useAppState((state) => state.bytesPerSecond)
  const speeds = useAppState((state) => state.speeds)
  const { curve, area } = sparkline(speeds, speedHistoryLength, 176, 28)
  return (
    <>
      <div className="speed">
        <b className="num">
          <bdi>{plain(speed(words, total))}</bdi>
        </b>
        <Cut className="small softer" text={words.t('sidebar.lastMinute')} />
      </div>
      <svg
        className="spark"
        viewBox="0 0 176 28"
        preserveAspectRatio="none"
        role="img"
        aria-label={words.t('sidebar.speedGraph')}
      >
        <path className="area" d={area} />
        <path className="base" d="M0 27.5H176" />
        <path className="curve" d={curve} />
      </svg>
    </>
  )
}

export function Concurrency(): JSX.Element | null {
  const app = useApp()
  const words = useWords()
  const value = useAppState((state) => state.settings?.maxConcurrentTasks)
  if (value === undefined) return null
  return (
    <Stepper
      name={words.t('sidebar.atOnce')}
      fewer={words.t('sidebar.fewerAtOnce')}
      more={words.t('sidebar.moreAtOnce')}
      value={value}
      min={1}
      max={mostAtOnce}
      text={words.t('sidebar.nAtOnce', { count: value })}
      onChange={(next) => void app.setSettings({ maxConcurrentTasks: next })}
    />
  )
}

function useLimit(): { name: string; isOn: boolean; set: (isOn: boolean) => void } {
  const app = useApp()
  const words = useWords()
  const limitWhenOn = useAppState((state) => state.limitWhenOn)
  const isOn = useAppState((state) => (state.settings?.speedLimitBytesPerSecond ?? 0) > 0)
  return {
    name: words.t('sidebar.limit', { speed: plain(speed(words, limitWhenOn)) }),
    isOn,
    set: (on) => void app.setSettings({ speedLimitBytesPerSecond: on ? limitWhenOn : 0 }),
  }
}

/** The switch with its words, for the sidebar. */
export function LimitSwitch(): JSX.Element {
  const { name, isOn, set } = useLimit()
  return (
    <>
      <span className="cut" title={name} aria-hidden="true">
        {name}
      </span>
      <Switch name={name} isOn={isOn} onChange={set} />
    </>
  )
}

/** The same as a small button, for the strip of a narrow window. */
export function LimitButton(): JSX.Element {
  const { name, isOn, set } = useLimit()
  return (
    <button
      type="button"
      className="icon-button small"
      aria-label={name}
      title={name}
      aria-pressed={isOn}
      onClick={() => set(!isOn)}
    >
      <Icon name="turtle" />
    </button>
  )
}
