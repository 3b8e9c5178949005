/**
 * The settings page as a table: which settings there are, where they stand, and what kind of control each has. Keys,
 * units and ranges are those of `shared/settings`; the words are in the catalogues, each name with its `…Why`.
 */
import type { Settings } from '../../../shared/settings.ts'
import type { MessageKey } from '../../i18n/catalogue.ts'
import type { IconName } from '../../parts/icon.tsx'

type KeyOf<Value> = { [Key in keyof Settings]: Settings[Key] extends Value ? Key : never }[keyof Settings]

/** A name that the catalogues explain. */
type ExplainedKey = {
  [Key in MessageKey]: `${Key}Why` extends MessageKey ? Key : never
}[MessageKey]

interface Common {
  readonly name: ExplainedKey
}

export type SettingEntry = Common &
  (
    | { readonly kind: 'folder'; readonly key: 'downloadFolder' }
    | {
        readonly kind: 'text'
        readonly key: 'ffmpegPath' | 'certificateFile' | 'allowedOrigin'
        /** what it means when nothing is typed */
        readonly empty: MessageKey
      }
    | { readonly kind: 'limit'; readonly key: 'speedLimitBytesPerSecond' }
    | { readonly kind: 'hours'; readonly key: 'scheduleWindows' }
    | { readonly kind: 'stepper'; readonly key: KeyOf<number>; readonly min: number; readonly max: number }
    | {
        readonly kind: 'number'
        readonly key: KeyOf<number>
        readonly min: number
        readonly max: number
        readonly unit: MessageKey
        /** stored units in one shown unit (bytes in a mebibyte) */
        readonly scale: number
      }
    | {
        readonly kind: 'choice'
        readonly key: KeyOf<string>
        readonly options: readonly { readonly value: string; readonly label: MessageKey }[]
      }
  )

/** What the setting is for. */
export function whyOf({ name }: SettingEntry): MessageKey {
  return `${name}Why`
}

export interface SettingGroup {
  readonly title: MessageKey
  readonly entries: readonly SettingEntry[]
}

export const settingPages = ['general', 'downloads', 'media', 'advanced'] as const
export type SettingPage = (typeof settingPages)[number]

export const pageFacts: Readonly<Record<SettingPage, { icon: IconName; label: MessageKey }>> = {
  general: { icon: 'home', label: 'settings.general' },
  downloads: { icon: 'down', label: 'settings.downloads' },
  media: { icon: 'film', label: 'settings.media' },
  advanced: { icon: 'terminal', label: 'settings.advanced' },
}

const mebibyte = 1_048_576

const look: SettingGroup = {
  title: 'settings.look',
  entries: [
    {
      kind: 'choice',
      key: 'language',
      name: 'setting.language',
      options: [
        { value: 'system', label: 'setting.system' },
        { value: 'en', label: 'language.en' },
        { value: 'zh-CN', label: 'language.zhCn' },
        { value: 'pseudo', label: 'language.pseudo' },
      ],
    },
    {
      kind: 'choice',
      key: 'theme',
      name: 'setting.theme',
      options: [
        { value: 'system', label: 'setting.system' },
        { value: 'light', label: 'setting.themeLight' },
        { value: 'dark', label: 'setting.themeDark' },
      ],
    },
    {
      kind: 'choice',
      key: 'density',
      name: 'setting.density',
      options: [
        { value: 'comfortable', label: 'setting.densityComfortable' },
        { value: 'compact', label: 'setting.densityCompact' },
      ],
    },
  ],
}

const folders: SettingGroup = {
  title: 'settings.folders',
  entries: [
    {
      kind: 'folder',
      key: 'downloadFolder',
      name: 'setting.downloadFolder',
    },
    {
      kind: 'number',
      key: 'reservedSpaceBytes',
      name: 'setting.reservedSpace',
      min: 0,
      max: 1_000_000,
      unit: 'unit.mebibytes',
      scale: mebibyte,
    },
  ],
}

const atOnce: SettingGroup = {
  title: 'settings.atOnce',
  entries: [
    {
      kind: 'stepper',
      key: 'maxConcurrentTasks',
      name: 'setting.maxConcurrentTasks',
      min: 1,
      max: 20,
    },
    {
      kind: 'stepper',
      key: 'maxTracksPerTask',
      name: 'setting.maxTracksPerTask',
      min: 1,
      max: 8,
    },
    {
      kind: 'stepper',
      key: 'connectionsPerTask',
      name: 'setting.connectionsPerTask',
      min: 1,
      max: 16,
    },
    {
      kind: 'stepper',
      key: 'connectionsPerHost',
      name: 'setting.connectionsPerHost',
      min: 1,
      max: 64,
    },
  ],
}

const limits: SettingGroup = {
  title: 'settings.limits',
  entries: [
    {
      kind: 'limit',
      key: 'speedLimitBytesPerSecond',
      name: 'setting.speedLimit',
    },
  ],
}

const schedule: SettingGroup = {
  title: 'settings.schedule',
  entries: [
    {
      kind: 'choice',
      key: 'scheduleMode',
      name: 'setting.schedule',
      options: [
        { value: 'off', label: 'setting.scheduleOff' },
        { value: 'pause', label: 'setting.schedulePause' },
        { value: 'slow', label: 'setting.scheduleSlow' },
      ],
    },
    { kind: 'hours', key: 'scheduleWindows', name: 'setting.hours' },
    {
      kind: 'number',
      key: 'slowSpeedLimitBytesPerSecond',
      name: 'setting.slowLimit',
      min: 0.01,
      max: 100_000,
      unit: 'unit.megabytesPerSecond',
      scale: 1_000_000,
    },
  ],
}

const trouble: SettingGroup = {
  title: 'settings.trouble',
  entries: [
    {
      kind: 'stepper',
      key: 'retryBudget',
      name: 'setting.retryBudget',
      min: 0,
      max: 100,
    },
    {
      kind: 'number',
      key: 'stallTimeoutSeconds',
      name: 'setting.stallTimeout',
      min: 10,
      max: 3600,
      unit: 'unit.seconds',
      scale: 1,
    },
    {
      kind: 'choice',
      key: 'changedResourcePolicy',
      name: 'setting.changedResource',
      options: [
        { value: 'ask', label: 'setting.changedAsk' },
        { value: 'restart', label: 'setting.changedRestart' },
      ],
    },
    {
      kind: 'choice',
      key: 'startupPolicy',
      name: 'setting.startup',
      options: [
        { value: 'resume', label: 'setting.startupResume' },
        { value: 'pause', label: 'setting.startupPause' },
      ],
    },
  ],
}

const muxer: SettingGroup = {
  title: 'settings.muxer',
  entries: [
    {
      kind: 'text',
      key: 'ffmpegPath',
      name: 'setting.ffmpeg',
      empty: 'setting.ffmpegDefault',
    },
  ],
}

const retention: SettingGroup = {
  title: 'settings.retention',
  entries: [
    {
      kind: 'number',
      key: 'retentionHours',
      name: 'setting.retention',
      min: 0,
      max: 87_600,
      unit: 'unit.hours',
      scale: 1,
    },
    {
      kind: 'number',
      key: 'historyLimit',
      name: 'setting.history',
      min: 0,
      max: 1_000_000,
      unit: 'unit.entries',
      scale: 1,
    },
  ],
}

const trust: SettingGroup = {
  title: 'settings.trust',
  entries: [
    {
      kind: 'text',
      key: 'certificateFile',
      name: 'setting.certificateFile',
      empty: 'setting.certificateFileNone',
    },
  ],
}

const otherPrograms: SettingGroup = {
  title: 'settings.otherPrograms',
  entries: [
    {
      kind: 'choice',
      key: 'localApi',
      name: 'setting.localApi',
      options: [
        { value: 'off', label: 'setting.localApiOff' },
        { value: 'on', label: 'setting.localApiOn' },
      ],
    },
    {
      kind: 'number',
      key: 'localApiPort',
      name: 'setting.localApiPort',
      min: 1024,
      max: 65_535,
      unit: 'unit.port',
      scale: 1,
    },
    {
      kind: 'text',
      key: 'allowedOrigin',
      name: 'setting.allowedOrigin',
      empty: 'setting.allowedOriginNone',
    },
  ],
}

export const settingGroups: Readonly<Record<SettingPage, readonly SettingGroup[]>> = {
  general: [look],
  downloads: [folders, atOnce, limits, schedule, trouble],
  media: [muxer],
  advanced: [retention, trust, otherPrograms],
}

/** A typed number in stored units, kept within its range; null for what is no number. */
export function storedNumber(
  text: string,
  entry: { min: number; max: number; scale: number },
): number | null {
  const value = Number(text.trim().replace(',', '.'))
  if (text.trim() === '' || !Number.isFinite(value)) return null
  return Math.round(Math.min(entry.max, Math.max(entry.min, value)) * entry.scale)
}
