/**
 * Resolver of plain links: one link is one file, a video and an audio link are one file with a mux. The answers
 * are left open for the download steps of the same attempt, so that a plain file costs one request.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { SluiceError } from '../../shared/errors.ts'
import { checkLink } from '../../shared/link.ts'
import type { Plan, PlannedStep, TaskParameters } from '../../shared/task/model.ts'
import type { StepOrder, StepOutcome } from '../../shared/worker-protocol.ts'
import type { StepContext, StepExecutor } from '../step-executor.ts'
import { nameFor, safeFileName, splitName } from '../files/names.ts'
import type { Engine } from '../transfer/engine.ts'
import { leaveOpen } from '../transfer/hand-over.ts'
import { followNetworkRules } from '../transfer/network-rules.ts'
import type { OpenResource } from '../transfer/opened.ts'
import { isPage, pageTrouble } from '../transfer/page-check.ts'
import { SourceOpener } from '../transfer/source-opener.ts'
import { decideNext } from '../transfer/step-outcome.ts'
import { Trouble } from '../transfer/trouble.ts'
import { takeWhole } from './whole-answer.ts'

type ResolveOrder = Extract<StepOrder, { kind: 'resolve' }>

/** Makes a plan from the links of a task. */
export function createResolveStep(engine: Engine): StepExecutor<'resolve'> {
  return async (order, _checkpoint, context) => {
    await followNetworkRules(engine, order.network)
    try {
      return await resolveDirect(engine, order, context)
    } catch (thrown) {
      if (thrown instanceof SluiceError && thrown.code !== 'INTERNAL') {
        return { kind: 'failed', error: thrown.toRecord() }
      }
      throw thrown
    }
  }
}

async function resolveDirect(
  engine: Engine,
  order: ResolveOrder,
  context: StepContext,
): Promise<StepOutcome> {
  let { failures } = context
  for (;;) {
    try {
      context.signal.throwIfAborted()
      return { kind: 'completed', result: { kind: 'plan', ...(await makePlan(engine, order, context)) } }
    } catch (thrown) {
      if (context.signal.aborted) return { kind: 'paused', checkpoint: null, cause: null }
      if (!(thrown instanceof Trouble)) throw thrown
      // Nothing is there yet that could be kept, so a page is a refusal, not a question.
      if (thrown.advice === 'review') return { kind: 'failed', error: thrown.error.toRecord() }
      failures += 1
      const next = decideNext(thrown, {
        holdsData: false,
        failures,
        budget: context.limits().retryBudget,
        policy: 'ask',
        wasDamaged: true,
        restarts: 0,
        chance: engine.chance(),
      })
      if (next.kind === 'end') return next.outcome(null)
      if (next.kind === 'wait') {
        report(context, 'waiting')
        await delay(next.ms, null, { signal: context.signal }).catch(() => null)
      }
      report(context, 'connecting')
    }
  }
}

function report(context: StepContext, activity: 'connecting' | 'waiting'): void {
  context.reportProgress({ doneBytes: 0, size: null, fraction: 0, bytesPerSecond: 0, activity })
}

async function makePlan(
  engine: Engine,
  { parameters, arrivalPath }: ResolveOrder,
  context: StepContext,
): Promise<{ plan: Plan; hasArrived?: boolean }> {
  const { link } = parameters
  const { signal } = context
  if (link.kind === 'single') {
    const resource = await open(engine, link.url, parameters, signal)
    const plan = singlePlan(parameters, link.url, resource)
    const isPlain = parameters.checksum === null && context.limits().bytesPerSecond === null
    if (isPlain && arrivalPath !== undefined && (await takeWhole(engine, resource, arrivalPath))) {
      return { plan, hasArrived: true }
    }
    leave(engine, link.url, parameters, resource)
    return { plan }
  }
  const opened = await Promise.allSettled([
    openAndLeave(engine, link.video, parameters, signal),
    openAndLeave(engine, link.audio, parameters, signal),
  ])
  const [video, audio] = opened
  if (video.status === 'rejected') throw video.reason
  if (audio.status === 'rejected') throw audio.reason
  return { plan: pairPlan(parameters, link, video.value, audio.value) }
}

async function openAndLeave(
  engine: Engine,
  url: string,
  parameters: TaskParameters,
  signal: AbortSignal,
): Promise<OpenResource> {
  const resource = await open(engine, url, parameters, signal)
  leave(engine, url, parameters, resource)
  return resource
}

/** Leaves the answer for the download step. */
function leave(
  engine: Engine,
  url: string,
  { headers, access }: TaskParameters,
  resource: OpenResource,
): void {
  leaveOpen(engine, { url, headers }, access, resource)
}

/** Opens a link and refuses pages. */
async function open(
  engine: Engine,
  url: string,
  parameters: TaskParameters,
  signal: AbortSignal,
): Promise<OpenResource> {
  const { headers, proxy, access } = parameters
  const opener = new SourceOpener(engine, { url, headers, facts: null }, proxy, access)
  const resource = await opener.openLink({ start: 0, end: null }, null, signal)
  try {
    if (!parameters.direct && !isPageByName(parameters.name ?? new URL(checkLink(url).url).pathname)) {
      const firstBytes = await resource.connection.peek(512, 3000)
      if (isPage(resource.facts.contentType, firstBytes) && resource.status !== 416) throw pageTrouble()
    }
  } catch (thrown) {
    resource.close()
    throw thrown
  }
  return resource
}

/** A page that was asked for by name is a file like any other. */
function isPageByName(name: string): boolean {
  return /\.(html?|xhtml|mht)$/i.test(name)
}

function suggestedName(resource: OpenResource): string {
  return nameFor({
    contentDisposition: resource.contentDisposition,
    url: resource.facts.finalUrl,
    contentType: resource.facts.contentType,
  })
}

function fetchStep(
  kind: 'download' | 'download-video' | 'download-audio',
  stage: number,
  source: { url: string; parameters: TaskParameters; checksum: string | null },
  resource: OpenResource,
): PlannedStep {
  const { url, parameters, checksum } = source
  const { facts } = resource
  return {
    kind,
    stage,
    optional: false,
    label: '',
    weight: Math.max(1, facts.length ?? 1),
    size: facts.length,
    input: { kind: 'fetch', source: { url, headers: parameters.headers, facts }, checksum },
  }
}

function singlePlan(parameters: TaskParameters, url: string, resource: OpenResource): Plan {
  const name = parameters.name === null ? suggestedName(resource) : safeFileName(parameters.name)
  const { checksum } = parameters
  return {
    title: name,
    service: checkLink(url).host,
    files: [
      {
        name,
        size: resource.facts.length,
        selected: true,
        steps: [fetchStep('download', 1, { url, parameters, checksum }, resource)],
      },
    ],
  }
}

type Container = 'mp4' | 'webm' | 'mkv'
const containers: Readonly<Record<string, Container>> = {
  mp4: 'mp4',
  m4v: 'mp4',
  mov: 'mp4',
  webm: 'webm',
  mkv: 'mkv',
}

function extensionOf(name: string): string {
  return splitName(name).extension.slice(1).toLowerCase()
}

/** WebM holds what comes as WebM or Ogg, MP4 what comes as MP4; mixed pairs go into Matroska, which holds all. */
function containerFor(video: string, audio: string): Container {
  const [v, a] = [extensionOf(video), extensionOf(audio)]
  if (v === 'webm' && ['webm', 'weba', 'ogg', 'oga', 'opus'].includes(a)) return 'webm'
  if (['mp4', 'm4v', 'mov'].includes(v) && ['mp4', 'm4a', 'aac', 'mp3', 'm4b', 'm4v'].includes(a))
    return 'mp4'
  return 'mkv'
}

function pairPlan(
  parameters: TaskParameters,
  link: { video: string; audio: string },
  video: OpenResource,
  audio: OpenResource,
): Plan {
  const videoName = suggestedName(video)
  const wanted = parameters.name === null ? null : safeFileName(parameters.name)
  const asked = wanted === null ? undefined : containers[extensionOf(wanted)]
  const container = asked ?? containerFor(videoName, suggestedName(audio))
  const stem = wanted ?? splitName(videoName).stem
  const name = asked === undefined ? safeFileName(`${stem}.${container}`) : (wanted ?? stem)
  const steps = [
    fetchStep('download-video', 1, { url: link.video, parameters, checksum: null }, video),
    fetchStep('download-audio', 1, { url: link.audio, parameters, checksum: null }, audio),
  ]
  const trackWeight = steps.reduce((sum, step) => sum + step.weight, 0)
  const sizes = steps.map((step) => step.size)
  return {
    title: name,
    service: checkLink(link.video).host,
    files: [
      {
        name,
        size: sizes.every((size) => size !== null) ? sizes.reduce((sum, size) => sum + size, 0) : null,
        selected: true,
        steps: [
          ...steps,
          {
            kind: 'mux',
            stage: 2,
            optional: false,
            label: '',
            // Tracks fill nine tenths of the bar, muxing the last one.
            weight: trackWeight / 9,
            size: null,
            input: { kind: 'mux', inputs: [0, 1], container },
          },
        ],
      },
    ],
  }
}
