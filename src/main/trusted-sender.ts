/** Who may command the host: the main frame of a window of ours, showing our own origin. Nobody else. */
import type { WebContents, WebFrameMain } from 'electron'
import { isAppUrl } from './app-url.ts'

/** The part of Electron's event that is looked at. */
export interface SenderFacts {
  readonly sender: Pick<WebContents, 'id'>
  readonly senderFrame: Pick<WebFrameMain, 'url' | 'parent'> | null
}

/**
 * `isOurWindow` knows the web contents ids of our windows. A frame that is gone (null) is refused, and so are an
 * empty URL and `about:blank`: a page in them has no origin that could be trusted.
 */
export function isTrustedSender(event: SenderFacts, isOurWindow: (id: number) => boolean): boolean {
  const frame = event.senderFrame
  if (frame === null || frame.parent !== null) return false
  return isOurWindow(event.sender.id) && isAppUrl(frame.url)
}
