/** A link and the user's wishes become a task. */
import type { AddOptions } from '../../shared/contract/commands.ts'
import { SluiceError } from '../../shared/errors.ts'
import { checkLink } from '../../shared/link.ts'
import type { Settings } from '../../shared/settings.ts'
import type { Plan, Task, TaskParameters } from '../../shared/task/model.ts'
import type { Headers } from '../../shared/task/resource.ts'
import { withEditedName } from '../transition/edit.ts'
import { resolveStep, withPlan } from '../transition/plan.ts'
import { settle } from '../transition/settle.ts'
import { pushState } from '../transition/steps.ts'
import type { Transition, TransitionContext } from '../transition/transition.ts'

export type LinkInput = { kind: 'single'; url: string } | { kind: 'pair'; video: string; audio: string }

/** Gates that every new task passes, also when it is made from an old one. */
export interface Gates {
  /** false: this host must not save there */
  mayWrite(folder: string): boolean
  isAbsolute(folder: string): boolean
}

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** UTF-8 bytes of a text; there is no `Buffer` here. */
function utf8(text: string): number[] {
  const encoded = encodeURIComponent(text)
  const bytes: number[] = []
  for (let index = 0; index < encoded.length; index++) {
    if (encoded[index] === '%') {
      bytes.push(Number.parseInt(encoded.slice(index + 1, index + 3), 16))
      index += 2
    } else bytes.push(encoded.charCodeAt(index))
  }
  return bytes
}

function base64(text: string): string {
  const bytes = utf8(text)
  let out = ''
  for (let index = 0; index < bytes.length; index += 3) {
    const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0)
    for (let place = 0; place < 4; place++) {
      const beyond = index + place > bytes.length
      out += beyond ? '=' : (base64Alphabet[(group >> (18 - 6 * place)) & 63] ?? '')
    }
  }
  return out
}

/** User name and password of a link travel as a header (RFC 7617), so that no link carries them. */
function authorization(credentials: { user: string; password: string } | null): Headers {
  if (credentials === null) return []
  return [['Authorization', `Basic ${base64(`${credentials.user}:${credentials.password}`)}`]]
}

/** Checks a link (`INVALID_INPUT`, `UNSUPPORTED`) and takes its credentials out. */
export function checkedLink(input: LinkInput): { link: TaskParameters['link']; headers: Headers } {
  if (input.kind === 'single') {
    const { url, credentials } = checkLink(input.url)
    return { link: { kind: 'single', url }, headers: authorization(credentials) }
  }
  const video = checkLink(input.video)
  const audio = checkLink(input.audio)
  return {
    link: { kind: 'pair', video: video.url, audio: audio.url },
    headers: authorization(video.credentials ?? audio.credentials),
  }
}

export function checkFolder(folder: string, gates: Gates): string {
  if (!gates.isAbsolute(folder)) {
    throw new SluiceError('INVALID_INPUT', 'The folder must be an absolute path', { details: { folder } })
  }
  if (!gates.mayWrite(folder)) {
    throw new SluiceError('FORBIDDEN', 'This host may not save to that folder', { details: { folder } })
  }
  return folder
}

/** One file name, never a path. */
export function checkName(name: string | undefined): string | null {
  if (name === undefined) return null
  const trimmed = name.trim()
  const hidden = /[\u0000-\u001f\u007f]/.test(trimmed)
  if (trimmed === '' || trimmed === '.' || trimmed === '..' || /[/\\]/.test(trimmed) || hidden) {
    throw new SluiceError('INVALID_INPUT', 'This is not a file name', { hint: 'Give a name without a path.' })
  }
  return trimmed
}

function hasHeader(headers: Headers, name: string): boolean {
  return headers.some(([held]) => held.toLowerCase() === name.toLowerCase())
}

export function parametersFor(
  input: LinkInput,
  options: AddOptions,
  settings: Settings,
  gates: Gates,
): TaskParameters {
  const { link, headers } = checkedLink(input)
  const given = options.headers ?? []
  return {
    link,
    folder: checkFolder(options.folder ?? settings.downloadFolder, gates),
    name: checkName(options.name),
    headers: [...given, ...headers.filter(([name]) => !hasHeader(given, name))],
    connections: options.connections ?? null,
    speedLimitBytesPerSecond: options.speedLimitBytesPerSecond ?? null,
    checksum: options.checksum ?? null,
    proxy: options.proxy ?? null,
    direct: options.direct ?? false,
    ...(options.access === undefined ? {} : { access: options.access }),
  }
}

/** What a task is called until its source was asked: the last part of the path, else the host. */
export function provisionalTitle(parameters: TaskParameters): string {
  if (parameters.name !== null) return parameters.name
  const url = parameters.link.kind === 'single' ? parameters.link.url : parameters.link.video
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
  const last = path.split('/').findLast((part) => part !== '')
  if (last === undefined) return checkLink(url).host
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** What a look-up has found out before, and which of its files are wanted; null: those that the plan prefers. */
export interface PlannedStart {
  readonly plan: Plan
  readonly wanted: ReadonlySet<number> | null
}

/** The look-up has done the work of the task's own resolve. */
function withPlannedStart(task: Task, { plan, wanted }: PlannedStart, ctx: TransitionContext): Task {
  const resolved = {
    ...task,
    steps: task.steps.map((step) => ({ ...step, state: 'COMPLETED' as const, fraction: 1 })),
  }
  const planned = withEditedName(withPlan(resolved, plan, ctx), task.parameters.name)
  if (wanted === null) return planned
  return { ...planned, files: planned.files.map((file) => ({ ...file, selected: wanted.has(file.index) })) }
}

export function newTask(
  parameters: TaskParameters,
  wishes: { startPaused: boolean; rank: number; retryOf: string | null; planned: PlannedStart | null },
  ctx: TransitionContext,
): Transition {
  const id = ctx.newId()
  const bare: Task = {
    id,
    createdAt: ctx.now,
    title: provisionalTitle(parameters),
    service: checkLink(parameters.link.kind === 'single' ? parameters.link.url : parameters.link.video).host,
    parameters,
    files: [],
    steps: [resolveStep(ctx.newId())],
    job: { id: ctx.newId(), taskId: id, number: 1, createdAt: ctx.now, startedAt: null, end: null },
    attempt: null,
    request: null,
    pause: null,
    rank: null,
    overLimit: false,
    crashes: 0,
    uncleanEnds: 0,
    networkPauses: 0,
    storagePausedSince: null,
    retryOf: wishes.retryOf,
    finishedAt: null,
  }
  const task = wishes.planned === null ? bare : withPlannedStart(bare, wishes.planned, ctx)
  if (wishes.startPaused) {
    return settle(pushState(task, 'PAUSED'), { pause: { kind: 'user', at: ctx.now } }, ctx)
  }
  return settle(task, { rank: wishes.rank }, ctx)
}
