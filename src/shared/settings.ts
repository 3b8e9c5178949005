/** The one list of settings: schema, defaults, units and ranges. Keys are the same in UI, API and database. */
import { deferred, z } from './validator.ts'
import { weekdays } from './week-hours.ts'

/** One window of the schedule (`HoursWindow`). */
const hoursWindowSchema = deferred(() =>
  z
    .strictObject({
      day: z.enum(weekdays),
      from: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
      to: z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/),
    })
    .refine(({ from, to }) => from !== to, { error: 'a window must have a length', path: ['to'] }),
)

/** Scheme and host, maybe a port: exactly what a browser sends as `Origin`; never `*`, never `null`. */
export const allowedOriginForm = /^(?:[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d{1,5})?)?$/

export const settingsSchema = deferred(() =>
  z.object({
    /** absolute path; the host sets the user's Downloads folder at first start */
    downloadFolder: z.string(),
    /** tasks at once */
    maxConcurrentTasks: z.number().int().min(1).max(20),
    /** tracks at once within a task */
    maxTracksPerTask: z.number().int().min(1).max(8),
    /** connections per resource */
    connectionsPerTask: z.number().int().min(1).max(16),
    /** connections per host, over all tasks */
    connectionsPerHost: z.number().int().min(1).max(64),
    /** bytes per second over all tasks; 0 is no limit */
    speedLimitBytesPerSecond: z.number().int().min(0),
    /** what happens outside the hours below: nothing, downloads pause, or they share the slow limit */
    scheduleMode: z.enum(['off', 'pause', 'slow']),
    /** hours of the week without restraint; none: all hours */
    scheduleWindows: z.array(hoursWindowSchema).max(100),
    /** bytes per second over all tasks outside those hours, when they are slowed */
    slowSpeedLimitBytesPerSecond: z.number().int().min(1024),
    /** failures in a row without new bytes before a step pauses */
    retryBudget: z.number().int().min(0).max(100),
    /** seconds without progress before a step counts as stalled */
    stallTimeoutSeconds: z.number().int().min(10).max(3600),
    /** what the tasks that ran or waited do at the next start */
    startupPolicy: z.enum(['resume', 'pause']),
    /** what happens when the resource changed during a pause */
    changedResourcePolicy: z.enum(['ask', 'restart']),
    /** bytes that stay free on a volume */
    reservedSpaceBytes: z.number().int().min(0),
    /** ended jobs kept as history; 0 keeps all */
    historyLimit: z.number().int().min(0),
    /** hours until terminal tasks leave the list; 0 is never */
    retentionHours: z.number().int().min(0),
    theme: z.enum(['system', 'light', 'dark']),
    language: z.enum(['system', 'en', 'zh-CN', 'pseudo']),
    density: z.enum(['comfortable', 'compact']),
    /** absolute path of FFmpeg; empty: look on the PATH */
    ffmpegPath: z.string(),
    /** absolute path of a PEM file with authorities to trust beside the system's; empty: none */
    certificateFile: z.string().max(4096),
    /** desktop app: whether other programs of this machine may use the API */
    localApi: z.enum(['off', 'on']),
    /** port on 127.0.0.1 for them */
    localApiPort: z.number().int().min(1024).max(65_535),
    /** origin of the browser extension that may use the API, such as `moz-extension://…`; empty: none */
    allowedOrigin: z.string().max(255).regex(allowedOriginForm, 'an origin such as moz-extension://…'),
  }),
)
export type Settings = z.infer<typeof settingsSchema>
export type SettingsPatch = Partial<Settings>

/** What only the local user may set: program paths, and the API's own being, are never taken from the API. */
export const localOnlySettings: readonly (keyof Settings)[] = [
  'ffmpegPath',
  'certificateFile',
  'localApi',
  'localApiPort',
  'allowedOrigin',
]
