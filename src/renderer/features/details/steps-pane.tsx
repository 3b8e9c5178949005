/** The steps of a task as a line through stages, and the attempts that carried them out. */
import type { JSX } from 'react'
import type { StepKind, StepState } from '../../../shared/task/model.ts'
import type { TaskDetails, TaskRow } from '../../../shared/view.ts'
import type { MessageKey } from '../../i18n/catalogue.ts'
import { fullMoment, speed } from '../../i18n/format.ts'
import { useWords } from '../../i18n/words-context.tsx'
import type { Words } from '../../i18n/words.ts'
import { Bar } from '../../parts/bar.tsx'
import { Cut } from '../../parts/cut.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { IconName } from '../../parts/icon.tsx'
import { Marked } from '../../parts/marked.tsx'
import { useNow } from '../../parts/use-now.ts'
import { errorSentence } from '../../rows/error-words.ts'

type Step = TaskDetails['steps'][number]

const stepNames: Readonly<Record<StepKind, MessageKey>> = {
  resolve: 'step.resolve',
  download: 'step.download',
  'download-video': 'step.downloadVideo',
  'download-audio': 'step.downloadAudio',
  'download-subtitle': 'step.downloadSubtitle',
  mux: 'step.mux',
  convert: 'step.convert',
}

const stateWords: Readonly<Record<StepState, MessageKey>> = {
  WAITING: 'state.waiting',
  RUNNING: 'step.running',
  PAUSED: 'state.paused',
  COMPLETED: 'state.completed',
  SKIPPED: 'state.skipped',
  FAILED: 'state.failed',
  CANCELLED: 'state.cancelled',
}

function stepIcon(step: Step): IconName {
  switch (step.state) {
    case 'COMPLETED':
      return 'done'
    case 'SKIPPED':
      return 'info'
    case 'FAILED':
      return 'alert'
    case 'CANCELLED':
      return 'cancel'
    case 'PAUSED':
      return 'pause'
    case 'WAITING':
      return step.kind === 'mux' || step.kind === 'convert' ? 'mux' : 'clock'
    case 'RUNNING':
      return step.kind === 'mux' || step.kind === 'convert' ? 'mux' : 'down'
  }
}

function stepFigures(words: Words, step: Step): string {
  const parts: string[] = []
  if (step.state === 'COMPLETED') return step.size === null ? '' : words.format.size(step.size)
  if (step.size !== null && step.doneBytes > 0) {
    const part = words.format.part(step.doneBytes, step.size)
    parts.push(words.marked('figure.of', { part, whole: words.format.size(step.size) }))
  } else if (step.size !== null) {
    parts.push(words.format.size(step.size))
  }
  if (step.fraction > 0) parts.push(words.format.percent(step.fraction))
  const rate = step.ranges.reduce((sum, range) => sum + range.bytesPerSecond, 0)
  if (step.state === 'RUNNING' && rate > 0) parts.push(speed(words, rate))
  return parts.join(' · ')
}

function StepItem({ step, fileName }: { step: Step; fileName: string | null }): JSX.Element {
  const words = useWords()
  const figures = stepFigures(words, step)
  const isPartial = step.fraction > 0 && step.state !== 'COMPLETED' && step.state !== 'SKIPPED'
  const name = words.t(stepNames[step.kind])
  return (
    <li className={`step is-${step.state.toLowerCase()}`}>
      <Icon name={stepIcon(step)} />
      <span className="name">
        {step.label === '' ? name : words.t('step.labelled', { step: name, label: step.label })}
      </span>
      <span className="time">{words.t(stateWords[step.state])}</span>
      {fileName !== null && <Cut className="what" text={fileName} />}
      {figures !== '' && (
        <span className="what">
          <Marked text={figures} />
        </span>
      )}
      {step.error !== null && (
        <span className="what">
          <Marked text={errorSentence(words, step.error)} />
        </span>
      )}
      {isPartial && (
        <Bar
          progress={step.fraction * 100}
          tone={step.state === 'RUNNING' ? 'running' : step.state === 'FAILED' ? 'failed' : 'paused'}
          pieces={[]}
        />
      )}
    </li>
  )
}

const ends: Readonly<Record<string, MessageKey>> = {
  finished: 'attempt.finished',
  stopped: 'attempt.stopped',
  crashed: 'attempt.crashed',
  stalled: 'attempt.stalled',
  silent: 'attempt.silent',
  lost: 'attempt.lost',
}

function Attempts({ attempts }: { attempts: TaskDetails['attempts'] }): JSX.Element | null {
  const words = useWords()
  const now = useNow(false)
  if (attempts.length === 0) return null
  return (
    <section className="block">
      <h3>{words.t('attempt.title')}</h3>
      <ol className="attempts">
        {[...attempts].reverse().map((attempt, index) => {
          const end = attempt.endedAt === null ? 'attempt.running' : ends[attempt.reason ?? '']
          const number = words.t('attempt.number', { n: attempts.length - index })
          return (
            <li key={attempt.id}>
              <span>
                <Marked text={fullMoment(words, attempt.startedAt, now)} />
              </span>
              <span>
                <b>{number}</b> {words.t(end ?? 'attempt.ended')}
              </span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

/** Steps that are listed; a playlist of thousands has its files in the other tab. */
const mostSteps = 200

export function StepsPane({ row, details }: { row: TaskRow; details: TaskDetails }): JSX.Element {
  const words = useWords()
  const names = new Map(details.files.map((file) => [file.id, file.name]))
  const selected = new Set(details.files.filter((file) => file.selected).map((file) => file.id))
  const relevant = details.steps.filter((step) => step.fileId === null || selected.has(step.fileId))
  const more = relevant.length - mostSteps
  return (
    <>
      <ol className="steps">
        {relevant.slice(0, mostSteps).map((step) => {
          const fileName =
            step.fileId === null || row.fileCount === 1 ? null : (names.get(step.fileId) ?? null)
          return <StepItem key={step.id} step={step} fileName={fileName} />
        })}
      </ol>
      {more > 0 && <p className="small softer">{words.t('step.more', { count: more })}</p>}
      <Attempts attempts={details.attempts} />
    </>
  )
}
