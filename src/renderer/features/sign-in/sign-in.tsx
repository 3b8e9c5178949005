/** Asks for the secret of the server. It is given once for each tab. */
import { useState } from 'react'
import type { JSX, SyntheticEvent } from 'react'
import type { ErrorRecord } from '../../../shared/errors.ts'
import { useApp } from '../../app-context.tsx'
import { keepSecret } from '../../client/secret.ts'
import { useWords } from '../../i18n/words-context.tsx'
import { Brand } from '../../parts/brand.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Marked } from '../../parts/marked.tsx'
import { errorHelp, errorSentence } from '../../rows/error-words.ts'

export function SignIn({ error }: { error: ErrorRecord | null }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const [secret, setSecret] = useState('')
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (secret === '') return
    keepSecret(window, secret)
    app.signIn(secret)
  }
  return (
    <main className="sign-in">
      <form className="sign-in-form" onSubmit={submit}>
        <Brand />
        <h1>{words.t('signIn.title')}</h1>
        <p className="soft">{words.t('signIn.text')}</p>
        <label className="field">
          <span className="label">{words.t('signIn.secret')}</span>
          <input
            className={error === null ? 'input mono' : 'input mono is-wrong'}
            type="password"
            autoComplete="current-password"
            // the page has nothing else to do
            autoFocus
            aria-invalid={error !== null}
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
          />
        </label>
        {error !== null && (
          <div className="note failed" role="alert">
            <Icon name="alert" />
            <p>
              <Marked text={errorSentence(words, error)} /> <Marked text={errorHelp(words, error)} />
            </p>
          </div>
        )}
        <button type="submit" className="button primary" aria-disabled={secret === ''}>
          {words.t('signIn.submit')}
        </button>
      </form>
    </main>
  )
}
