/** Whether an answer is a web page where a file was asked for. */
import type { OpenResource } from './opened.ts'
import type { Trouble } from './trouble.ts'
import { trouble } from './trouble.ts'

const htmlType = /^\s*(text\/html|application\/xhtml\+xml)\b/i
const htmlStart = /^<(?:!doctype\s+html|html|head|body|title|script|meta)\b/i

/** Looks like HTML by its first bytes, whatever the host calls it. */
export function looksLikeHtml(bytes: Buffer): boolean {
  let text = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  while (text.startsWith('<!--')) {
    const end = text.indexOf('-->')
    if (end < 0) return false
    text = text.slice(end + 3).trimStart()
  }
  return htmlStart.test(text)
}

/** Judges type and first bytes together: a type that lies in either direction is believed less than the bytes. */
export function isPage(contentType: string | null, firstBytes: Buffer): boolean {
  if (looksLikeHtml(firstBytes)) return true
  return htmlType.test(contentType ?? '') && !firstBytes.includes(0)
}

/** Throws a `review` trouble when the answer is a page. */
export async function refusePage(resource: OpenResource): Promise<void> {
  if (!isPage(resource.facts.contentType, await resource.connection.peek(512, 3000))) return
  throw pageTrouble()
}

export function pageTrouble(): Trouble {
  return trouble('review', 'LOOKS_LIKE_A_PAGE', 'The host answered with a web page in place of a file')
}
