import type { JSX, ReactNode } from 'react'
import type { ErrorRecord } from '../../../shared/errors.ts'
import type { Access } from '../../../shared/task/access.ts'
import type { TaskDetails, TaskRow } from '../../../shared/view.ts'
import { useApp } from '../../app-context.tsx'
import type { MessageKey } from '../../i18n/catalogue.ts'
import { duration, fullMoment, speed } from '../../i18n/format.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Marked } from '../../parts/marked.tsx'
import { useNow } from '../../parts/use-now.ts'
import { errorHelp, errorSentence } from '../../rows/error-words.ts'
import { nextStep } from '../../rows/next-step.ts'
import { rowState } from '../../rows/row-state.ts'
import { takeNextStep } from '../list/next-step-button.tsx'
import { CopyLink } from './copy-link.tsx'

/** What is wrong with a task, when something is. */
function troubleOf(row: TaskRow): ErrorRecord | null {
  if (row.state === 'FAILED') return row.error
  if (row.state === 'WAITING') return row.blockedBy
  return row.state === 'PAUSED' && row.pause !== null && 'error' in row.pause ? row.pause.error : null
}

/** Says what is wrong and holds the next step. */
function TroubleNote({ row }: { row: TaskRow }): JSX.Element | null {
  const app = useApp()
  const words = useWords()
  const error = troubleOf(row)
  if (error === null) return null
  const { tone, icon } = rowState(row)
  const step = nextStep(row)
  const canEditToo = row.state === 'FAILED' && step?.kind === 'retry'
  return (
    <div className={`note ${tone}`}>
      <Icon name={icon} />
      <h3>
        <Marked text={errorSentence(words, error)} />
      </h3>
      <p>
        <Marked text={errorHelp(words, error)} />
      </p>
      {step !== null && (
        <div className="buttons">
          <button type="button" className="button small primary" onClick={() => takeNextStep(app, row, step)}>
            {words.t(step.label)}
          </button>
          {canEditToo && (
            <button
              type="button"
              className="button small"
              onClick={() => app.open({ kind: 'edit', id: row.id, focus: 'link' })}
            >
              {words.t('next.editLink')}
            </button>
          )}
        </div>
      )}
    </div>
  )
}

function Fact({ name, children }: { name: MessageKey; children: ReactNode }): JSX.Element {
  const words = useWords()
  return (
    <>
      <dt>{words.t(name)}</dt>
      <dd>{children}</dd>
    </>
  )
}

function SourceFacts({ row, details }: { row: TaskRow; details: TaskDetails }): JSX.Element {
  const words = useWords()
  const { parameters, files } = details
  const [file] = files
  return (
    <dl className="facts">
      {parameters.link.kind === 'single' ? (
        <Fact name="facts.link">
          <CopyLink link={parameters.link.url} />
        </Fact>
      ) : (
        <>
          <Fact name="facts.video">
            <CopyLink link={parameters.link.video} />
          </Fact>
          <Fact name="facts.audio">
            <CopyLink link={parameters.link.audio} />
          </Fact>
        </>
      )}
      <Fact name="facts.folder">
        <bdi>{row.folder}</bdi>
      </Fact>
      {files.length === 1 && file !== undefined ? (
        <Fact name="facts.file">
          <bdi>{file.name}</bdi>
        </Fact>
      ) : (
        files.length > 0 && (
          <Fact name="facts.files">{words.t('facts.fileCount', { count: files.length })}</Fact>
        )
      )}
      <Fact name="facts.size">
        {row.size === null ? words.t('size.unknown') : <Marked text={exactSize(words, row.size)} />}
      </Fact>
      <Fact name="facts.checksum">
        {parameters.checksum === null ? words.t('facts.none') : <bdi>{parameters.checksum}</bdi>}
      </Fact>
      {parameters.speedLimitBytesPerSecond !== null && (
        <Fact name="facts.limit">
          <Marked text={speed(words, parameters.speedLimitBytesPerSecond)} />
        </Fact>
      )}
      <RiskFacts access={parameters.access ?? {}} />
    </dl>
  )
}

/** What the user let this task do that is not safe: never silent. */
function RiskFacts({ access }: { access: Access }): JSX.Element {
  const words = useWords()
  const hosts = access.uncheckedHosts ?? []
  return (
    <>
      {hosts.length > 0 && (
        <Fact name="facts.certificates">
          <strong className="risk">{words.t('facts.unchecked', { hosts: hosts.join(', ') })}</strong>
        </Fact>
      )}
      {access.mayLeaveHttps === true && (
        <Fact name="facts.protection">
          <strong className="risk">{words.t('facts.leaveHttps')}</strong>
        </Fact>
      )}
    </>
  )
}

function exactSize(words: ReturnType<typeof useWords>, size: number): string {
  return words.marked('facts.exactSize', {
    size: words.format.size(size),
    bytes: words.format.exactSize(size),
  })
}

/** When it was paused, and for how long once that is worth saying. */
function pausedWords(words: ReturnType<typeof useWords>, at: number, now: number): string {
  const when = fullMoment(words, at, now)
  const seconds = (now - at) / 1000
  return seconds < 60 ? when : words.marked('facts.pausedFor', { when, time: duration(words, seconds) })
}

function HistoryFacts({ row, details }: { row: TaskRow; details: TaskDetails }): JSX.Element {
  const words = useWords()
  const now = useNow(false)
  const [first] = details.attempts
  return (
    <dl className="facts">
      <Fact name="facts.added">
        <Marked text={fullMoment(words, row.createdAt, now)} />
      </Fact>
      {first !== undefined && (
        <Fact name="facts.started">
          <Marked text={fullMoment(words, first.startedAt, now)} />
        </Fact>
      )}
      {row.pause !== null && (
        <Fact name="facts.paused">
          <Marked text={pausedWords(words, row.pause.at, now)} />
        </Fact>
      )}
      {row.finishedAt !== null && (
        <Fact name="facts.finished">
          <Marked text={fullMoment(words, row.finishedAt, now)} />
        </Fact>
      )}
      <Fact name="facts.attempts">
        <bdi>{words.format.number(details.attempts.length)}</bdi>
      </Fact>
      <Fact name="facts.task">
        <bdi className="mono">{row.id}</bdi>
      </Fact>
    </dl>
  )
}

export function OverviewPane({ row, details }: { row: TaskRow; details: TaskDetails }): JSX.Element {
  return (
    <>
      <TroubleNote row={row} />
      <SourceFacts row={row} details={details} />
      <hr className="rule" />
      <HistoryFacts row={row} details={details} />
    </>
  )
}
