/** The order for one step, complete in itself. */
import type { Settings } from '../../shared/settings.ts'
import type { ErrorCode } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import { isSealed } from '../../shared/sealed.ts'
import type { Access } from '../../shared/task/access.ts'
import type { Step, Task } from '../../shared/task/model.ts'
import type { Headers } from '../../shared/task/resource.ts'
import { publishes } from '../../shared/task/outputs.ts'
import type { NetworkRules, StepOrder } from '../../shared/worker-protocol.ts'
import { arrivalPath, outputPath, workingFolder, workingName } from '../names/claims.ts'
import type { FileSystem } from '../ports.ts'
import { stepsOfFile } from '../transition/steps.ts'

type Track = Extract<StepOrder, { kind: 'mux' }>['tracks'][number]

function finalPath(task: Task, step: Step, files: FileSystem): string | null {
  const file = task.files.find((candidate) => candidate.id === step.fileId)
  if (file === undefined || !publishes(task, step)) return null
  return outputPath(task, file, files)
}

/** A secret whose key is gone must not be sent as it is stored; without it the host says what it misses. */
function sendable(headers: Headers): Headers {
  return headers.filter(([, value]) => !isSealed(value))
}

function sendableAccess(access: Access | undefined): Access | undefined {
  const cookies = access?.cookies?.filter(({ value }) => !isSealed(value))
  return cookies === undefined ? access : { ...access, cookies }
}

function acceptedOf(step: Step): ErrorCode[] {
  return (step.accepted ?? []).map((flaw) => flaw.code)
}

function trackKind(step: Step): Track['kind'] {
  if (step.kind === 'download-audio') return 'audio'
  return step.kind === 'download-subtitle' ? 'subtitle' : 'video'
}

/** The tracks to be muxed, in stream order; skipped ones are left out. */
function tracksOf(task: Task, step: Step, positions: readonly number[]): Track[] {
  const siblings = stepsOfFile(task, step.fileId)
  return positions.flatMap((position) => {
    const track = siblings.find((candidate) => candidate.index === position)
    if (track?.state !== 'COMPLETED' || track.output === null) return []
    return [{ path: track.output.path, kind: trackKind(track), label: track.label }]
  })
}

/** A page was asked for by name when the link, or the name that was given, ends as pages do. */
function asksForPage(task: Task, url: string): boolean {
  const page = /\.(x?html?|mht(ml)?)$/i
  const path = url.replace(/[?#].*$/s, '')
  return task.parameters.direct || page.test(path) || page.test(task.parameters.name ?? '')
}

export function orderFor(
  task: Task,
  step: Step,
  facts: { files: FileSystem; settings: Settings; network: NetworkRules; ffmpegPath: string | null },
): StepOrder {
  const { files, settings, network } = facts
  const { input } = step
  const folder = workingFolder(task, files)
  switch (input.kind) {
    case 'resolve': {
      const link =
        input.link === undefined ? task.parameters.link : { kind: 'single' as const, url: input.link }
      const headers = sendable(task.parameters.headers)
      const access = sendableAccess(task.parameters.access)
      return {
        kind: 'resolve',
        parameters: { ...task.parameters, link, headers, access },
        network,
        // what an entry of a list brings is not the task's only file
        arrivalPath: step.fileId === null ? arrivalPath(task, files) : undefined,
      }
    }
    case 'fetch':
      return {
        kind: 'fetch',
        source: { ...input.source, headers: sendable(input.source.headers) },
        workingFolder: folder,
        fileName: workingName(task, step),
        checksum: input.checksum,
        proxy: task.parameters.proxy,
        access: sendableAccess(task.parameters.access),
        network,
        refusePage: !asksForPage(task, input.source.url),
        accepted: acceptedOf(step),
        changedResourcePolicy: settings.changedResourcePolicy,
        publishTo: finalPath(task, step, files),
        leave: step.publishing ?? undefined,
      }
    case 'mux': {
      const publishTo = finalPath(task, step, files)
      if (publishTo === null) throw new SluiceError('INTERNAL', 'A mux step has no file to make')
      return {
        kind: 'mux',
        workingFolder: folder,
        fileName: workingName(task, step),
        tracks: tracksOf(task, step, input.inputs),
        container: input.container,
        accepted: acceptedOf(step),
        ffmpegPath: facts.ffmpegPath,
        publishTo,
      }
    }
  }
}
