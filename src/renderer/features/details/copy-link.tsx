import type { JSX } from 'react'
import { useApp } from '../../app-context.tsx'
import { useWords } from '../../i18n/words-context.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { isMasked } from '../../rows/masked.ts'
import { writeClipboard } from '../commands/clipboard.ts'

/** A link, cut to one line, with a button that copies it. One with masked secrets cannot be copied. */
export function CopyLink({ link }: { link: string }): JSX.Element {
  const app = useApp()
  const words = useWords()
  const copy = async (): Promise<void> => {
    const isCopied = await writeClipboard(link)
    app.messages.toast({
      tone: 'plain',
      message: isCopied ? { key: 'toast.copied', values: { count: 1 } } : { key: 'toast.notCopied' },
      error: null,
    })
  }
  return (
    <span className="copy-link">
      <bdi className="cut" title={link}>
        {link}
      </bdi>
      <ActionButton
        className="icon-button small"
        aria-label={words.t('command.copyLink')}
        title={words.t('command.copyLink')}
        refusal={isMasked(link) ? words.t('refusal.masked') : null}
        onAct={() => void copy()}
      >
        <Icon name="copy" />
      </ActionButton>
    </span>
  )
}
