/** Adds one or many links, or a video link with its audio link. Links that the host refuses stay, with the reason. */
import { useMemo, useRef, useState } from 'react'
import type { JSX, KeyboardEvent, SyntheticEvent } from 'react'
import { useApp, useAppState } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { DialogLayer } from '../../parts/layer.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import type { App } from '../../store/app.ts'
import { AddOptionsFields } from './add-options-fields.tsx'
import { allLinks, commandsOf, emptyDraft, headersIn, linksIn, taskCount, withLinks } from './draft.ts'
import type { AddDraft, TypedLinks } from './draft.ts'
import { LinksField, PairFields } from './link-fields.tsx'
import { RefusedLinks } from './refused-links.tsx'
import type { RefusedLink } from './refused-links.tsx'

/** Adds all of it; answers what was refused. A host that does not answer refuses the whole command. */
async function addAll(
  app: App,
  commands: ReturnType<typeof commandsOf>,
  onSent: (links: number) => void,
): Promise<{ added: number; refused: RefusedLink[] }> {
  const refused: RefusedLink[] = []
  let added = 0
  let sent = 0
  for (const input of commands) {
    onSent(sent)
    const answer = await app.operations.add(input)
    sent += 'links' in input ? input.links.length : 1
    if (!answer.ok) {
      const links = 'links' in input ? input.links : [input.pair.video]
      refused.push(...links.map((link) => ({ link, error: answer.error })))
      continue
    }
    for (const result of answer.value.results) {
      if (result.kind === 'added') added++
      else refused.push({ link: result.link, error: result.error })
    }
  }
  return { added, refused }
}

interface AddForm {
  readonly draft: AddDraft
  readonly typed: TypedLinks
  readonly refused: readonly RefusedLink[]
  readonly count: number
  readonly wrongLines: readonly number[]
  readonly isReady: boolean
  /** while they are being added: how many the host has answered for */
  readonly sent: number | null
  readonly change: (patch: Partial<AddDraft>) => void
  readonly choose: (kind: AddDraft['kind']) => void
  /** Adds it; `afterRefusal` is called when something of it was refused and stays. */
  readonly submit: (afterRefusal: () => void) => Promise<void>
}

/** What is typed, and what becomes of it. */
function useAddForm(offered: string): AddForm {
  const app = useApp()
  const defaultFolder = useAppState((state) => state.settings?.downloadFolder ?? '')
  const [draft, setDraft] = useState<AddDraft>(() => emptyDraft(offered, defaultFolder))
  const [refused, setRefused] = useState<readonly RefusedLink[]>([])
  /** links that the host has answered for, of those that are being sent; null when nothing is */
  const [sent, setSent] = useState<number | null>(null)
  const change = (patch: Partial<AddDraft>): void => setDraft((present) => ({ ...present, ...patch }))
  // a list of ten thousand is read when it changes, not whenever something else is typed
  const typed = useMemo(() => linksIn(draft.links), [draft.links])
  const links = useMemo(() => allLinks(typed, draft.held), [typed, draft.held])
  const count = taskCount(draft, links)
  const { wrongLines } = headersIn(draft.headers)
  const isWrong = wrongLines.length > 0 || (draft.kind === 'links' && typed.fault !== null)
  const isReady = count > 0 && !isWrong && sent === null

  const submit = async (afterRefusal: () => void): Promise<void> => {
    if (!isReady) return
    const outcome = await addAll(app, commandsOf(draft, links, defaultFolder), setSent)
    setSent(null)
    if (outcome.added > 0) {
      app.messages.announce({ key: 'done.added', values: { count: outcome.added } }, null)
    }
    if (outcome.refused.length === 0) {
      app.closeLayer()
      return
    }
    setRefused(outcome.refused)
    if (draft.kind === 'links') {
      setDraft((present) =>
        withLinks(
          present,
          outcome.refused.map(({ link }) => link),
        ),
      )
    }
    afterRefusal()
  }
  const choose = (kind: AddDraft['kind']): void => {
    change({ kind })
    setRefused([])
  }
  return { draft, typed, refused, count, wrongLines, isReady, sent, change, choose, submit }
}

function AddFooter({ form }: { form: AddForm }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const { count, isReady, draft, sent } = form
  const counted = count === 0 ? words.t('add.noLinks') : words.t('add.count', { count })
  return (
    <footer>
      <span className="grow" role="status">
        {sent === null || count === 1 ? counted : words.t('add.adding', { count, sent })}
      </span>
      <button type="button" className="button" onClick={() => app.closeLayer()}>
        {words.t('layer.cancel')}
      </button>
      <button
        type="submit"
        className="button primary"
        aria-disabled={!isReady}
        title={isReady ? undefined : words.t(count === 0 ? 'add.noLinks' : 'add.notReady')}
      >
        {words.t(draft.startsLater ? 'add.submitLater' : 'add.submit', { count })}
      </button>
    </footer>
  )
}

export function AddDialog({ links }: { links: string }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const first = useRef<HTMLTextAreaElement>(null)
  const form = useAddForm(links)
  const { draft, count } = form
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    void form.submit(() => first.current?.focus())
  }
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
  }
  return (
    <DialogLayer
      className="add"
      title={words.t('add.title')}
      onClose={() => app.closeLayer()}
      focusFirst={first}
    >
      <form className="form" onSubmit={submit} onKeyDown={onKeyDown}>
        <div className="body">
          <div className="links">
            <Segmented
              name={words.t('add.what')}
              segments={[
                { value: 'links', label: words.t('add.kindLinks') },
                { value: 'pair', label: words.t('add.kindPair') },
              ]}
              value={draft.kind}
              onChange={form.choose}
            />
            {draft.kind === 'links' ? (
              <LinksField draft={draft} typed={form.typed} onChange={form.change} fieldRef={first} />
            ) : (
              <PairFields draft={draft} onChange={form.change} />
            )}
            <RefusedLinks refused={form.refused} />
          </div>
          <AddOptionsFields
            draft={draft}
            isOne={count <= 1}
            wrongLines={form.wrongLines}
            onChange={form.change}
          />
        </div>
        <AddFooter form={form} />
      </form>
    </DialogLayer>
  )
}
