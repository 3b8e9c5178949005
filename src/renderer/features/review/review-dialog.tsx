/** Asks what to do with a result that looks wrong. Nothing has been lost yet: the answers say what each would cost. */
import { useId, useState } from 'react'
import type { JSX } from 'react'
import type { ErrorRecord } from '../../../shared/errors.ts'
import type { TaskRow } from '../../../shared/view.ts'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { Icon } from '../../parts/icon.tsx'
import { DialogLayer } from '../../parts/layer.tsx'
import { Marked } from '../../parts/marked.tsx'
import { errorSentence } from '../../rows/error-words.ts'
import { answerWords, reviewAnswers } from './review-answers.ts'
import type { ReviewAnswer } from './review-answers.ts'

export function ReviewDialog({ id }: { id: string }): JSX.Element | null {
  const row = useAppState((state) => state.list.rows.get(id))
  // answered elsewhere, or gone: there is nothing to ask any more
  if (row?.pause?.kind !== 'review') return <Answered />
  return <Question row={row} error={row.pause.error} />
}

function Answered(): JSX.Element {
  const app = useApp()
  const words = useWords()
  return (
    <DialogLayer className="small-dialog" title={words.t('review.title')} onClose={() => app.closeLayer()}>
      <div className="body">
        <p>{words.t('review.answered')}</p>
      </div>
      <footer>
        <span className="grow" />
        <button type="button" className="button" onClick={() => app.closeLayer()}>
          {words.t('layer.close')}
        </button>
      </footer>
    </DialogLayer>
  )
}

function Question({ row, error }: { row: TaskRow; error: ErrorRecord }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const group = useId()
  const answers = reviewAnswers(error.code)
  const [answer, setAnswer] = useState<ReviewAnswer>(answers[0] ?? 'redo')
  const isLoss = answer === 'discard'
  const send = (): void => {
    if (answer === 'try-again') void app.operations.run('tasks.restart', [{ ids: [row.id] }])
    else void app.operations.review({ id: row.id, answer })
    app.closeLayer()
  }
  return (
    <DialogLayer
      className="small-dialog"
      title={words.t('review.title')}
      note={row.title}
      onClose={() => app.closeLayer()}
    >
      <div className="body">
        <div className="note attention">
          <Icon name="eye" />
          <h3>
            <Marked text={errorSentence(words, error)} />
          </h3>
          <p>{words.t('review.nothingLost')}</p>
        </div>
        <fieldset className="choice">
          <legend className="label">{words.t('review.question')}</legend>
          {answers.map((each) => (
            <label key={each} className="option">
              <input
                className="radio"
                type="radio"
                name={group}
                checked={answer === each}
                onChange={() => setAnswer(each)}
              />
              <span>
                {words.t(answerWords[each].name)}
                <span className="help">{words.t(answerWords[each].why)}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </div>
      <footer>
        <span className="grow" />
        <button type="button" className="button" onClick={() => app.closeLayer()}>
          {words.t('layer.cancel')}
        </button>
        <button type="button" className={isLoss ? 'button danger' : 'button primary'} onClick={send}>
          {words.t(answerWords[answer].deed)}
        </button>
      </footer>
    </DialogLayer>
  )
}
