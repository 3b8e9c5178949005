/** Puts the links of tasks on the clipboard, one a line. Masked links are left out: they would not work. */
import { isMasked } from '../../rows/masked.ts'
import type { App } from '../../store/app.ts'
import { writeClipboard } from './clipboard.ts'

/** So many details are asked for; more links than that belong in an export. */
const mostLinks = 100

export async function copyLinks(app: App, ids: readonly string[]): Promise<void> {
  const answers = await Promise.all(
    ids.slice(0, mostLinks).map((id) => app.bridge.call('tasks.details', { id })),
  )
  const links = answers.flatMap((answer) => {
    if (!answer.ok) return []
    const { link } = answer.value.parameters
    return link.kind === 'single' ? [link.url] : [link.video, link.audio]
  })
  const whole = links.filter((link) => !isMasked(link))
  const isCopied = whole.length > 0 && (await writeClipboard(whole.join('\n')))
  app.messages.toast({
    tone: 'plain',
    message: isCopied ? { key: 'toast.copied', values: { count: whole.length } } : { key: 'toast.notCopied' },
    error: null,
  })
}
